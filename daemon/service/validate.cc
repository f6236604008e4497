#include "daemon/service/validate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/convert.h"
#include "daemon/session/error.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/environment.h"

namespace cellblock {
namespace {

constexpr size_t kMaxId = 128;
constexpr size_t kMaxName = 256;
constexpr size_t kMaxImage = 4096;
constexpr int kMaxLabels = 64;
constexpr size_t kMaxLabelKey = 128;
constexpr size_t kMaxLabelValue = 1024;
constexpr int kMaxExpressions = 64;
constexpr size_t kMaxExpression = 64 * 1024;
constexpr int64_t kMaxDurationSeconds = 315576000000;

bool HasNul(absl::string_view text) {
  return text.find('\0') != absl::string_view::npos;
}

absl::Status ValidateEnvironment(const v1::CreateSessionRequest& request) {
  if (request.environment_size() > kMaxEnvironment) {
    return BadField("environment", absl::StrCat("more than ", kMaxEnvironment, " variables"));
  }
  size_t total = 0;
  for (const auto& [name, value] : request.environment()) {
    std::string wrong = WrongVariableName(name);
    if (wrong.empty()) wrong = WrongVariableValue(value);
    if (!wrong.empty()) return BadField("environment", wrong);
    total += name.size() + value.size() + 2;
  }
  if (total > kMaxEnvironmentTotal) return BadField("environment", "larger than 64 KiB in all");
  return absl::OkStatus();
}

absl::Status ValidateTimeZone(const std::string& zone) {
  const std::string wrong = WrongTimeZone(zone);
  return wrong.empty() ? absl::OkStatus() : BadField("time_zone", wrong);
}

absl::Status ValidateLabels(const v1::CreateSessionRequest& request) {
  if (request.labels_size() > kMaxLabels) return BadField("labels", "more than 64");
  for (const auto& [key, value] : request.labels()) {
    if (key.empty() || key.size() > kMaxLabelKey || HasNul(key)) {
      return BadField("labels", "a key must be 1 to 128 bytes without NUL");
    }
    if (value.size() > kMaxLabelValue || HasNul(value)) {
      return BadField("labels", "a value must be at most 1024 bytes without NUL");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTighter(absl::string_view field, int64_t wanted, int64_t* limit) {
  if (wanted == 0) return absl::OkStatus();
  if (wanted < 0) return BadField(field, "must not be negative");
  if (*limit > 0 && wanted > *limit) {
    return BadField(field, absl::StrCat("may only tighten the policy's ", *limit,
                                        ", not raise it to ", wanted));
  }
  *limit = wanted;
  return absl::OkStatus();
}

absl::Status ValidateCode(const v1::ExecuteRequest& request) {
  if (request.code().size() > kMaxCodeBytes) return BadField("code", "larger than 4 MiB");
  if (HasNul(request.code())) return BadField("code", "must not contain NUL");
  if (!IsUtf8(request.code())) return BadField("code", "must be valid UTF-8");
  if (request.name().size() > kMaxName || HasNul(request.name())) {
    return BadField("name", "must be at most 256 bytes without NUL");
  }
  return absl::OkStatus();
}

absl::Status ValidateExpressions(const v1::ExecuteRequest& request) {
  if (request.user_expressions_size() > kMaxExpressions) {
    return BadField("user_expressions", "more than 64");
  }
  for (const auto& [name, code] : request.user_expressions()) {
    if (name.empty() || name.size() > kMaxName || HasNul(name)) {
      return BadField("user_expressions", "a name must be 1 to 256 bytes without NUL");
    }
    if (code.size() > kMaxExpression || HasNul(code)) {
      return BadField("user_expressions", "an expression must be at most 64 KiB without NUL");
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateReserved(const v1::ExecuteRequest& request) {
  const char* field = request.on_error() != v1::ExecuteRequest::KEEP_STATE        ? "on_error"
                      : request.checkpoint() != v1::ExecuteRequest::NO_CHECKPOINT ? "checkpoint"
                                                                                  : nullptr;
  if (field == nullptr) return absl::OkStatus();
  return MakeError(absl::StatusCode::kUnimplemented,
                   absl::StrCat(field, ": transactional cells are not in this version"),
                   {.reason = "NOT_IMPLEMENTED", .object = field});
}

}  // namespace

absl::Status BadField(absl::string_view field, absl::string_view rule) {
  return MakeError(absl::StatusCode::kInvalidArgument, absl::StrCat(field, ": ", rule),
                   {.reason = "BAD_FIELD", .object = std::string(field)});
}

bool IsExecutionId(absl::string_view id) {
  return !id.empty() && id.size() <= kMaxId &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '-';
         });
}

absl::Status ValidateDuration(absl::string_view field, const google::protobuf::Duration& duration) {
  if (duration.seconds() < 0 || duration.nanos() < 0) {
    return BadField(field, "must not be negative");
  }
  if (duration.seconds() > kMaxDurationSeconds || duration.nanos() > 999999999) {
    return BadField(field, "out of range");
  }
  return absl::OkStatus();
}

absl::Status ValidateCreate(const v1::CreateSessionRequest& request) {
  if (request.image().size() > kMaxImage || HasNul(request.image())) {
    return BadField("image", "must be at most 4096 bytes without NUL");
  }
  if (request.policy().size() > kMaxName || HasNul(request.policy())) {
    return BadField("policy", "must be at most 256 bytes without NUL");
  }
  if (request.idempotency_key().size() > kMaxId || HasNul(request.idempotency_key())) {
    return BadField("idempotency_key", "must be at most 128 bytes without NUL");
  }
  CELLBLOCK_RETURN_IF_ERROR(ValidateEnvironment(request));
  CELLBLOCK_RETURN_IF_ERROR(ValidateTimeZone(request.time_zone()));
  CELLBLOCK_RETURN_IF_ERROR(ValidateDuration("idle_ttl", request.idle_ttl()));
  CELLBLOCK_RETURN_IF_ERROR(ValidateDuration("total_ttl", request.total_ttl()));
  CELLBLOCK_RETURN_IF_ERROR(
      ValidateDuration("limits.max_cell_time", request.limits().max_cell_time()));
  return ValidateLabels(request);
}

absl::Status ApplyOverrides(const v1::LimitOverrides& overrides, Limits* limits) {
  CELLBLOCK_RETURN_IF_ERROR(
      CheckTighter("limits.memory_bytes", overrides.memory_bytes(), &limits->memory_bytes));
  CELLBLOCK_RETURN_IF_ERROR(
      CheckTighter("limits.disk_bytes", overrides.disk_bytes(), &limits->disk_bytes));
  CELLBLOCK_RETURN_IF_ERROR(CheckTighter("limits.pids", overrides.pids(), &limits->pids));
  const absl::Duration cell_time = FromProto(overrides.max_cell_time());
  if (cell_time == absl::ZeroDuration()) return absl::OkStatus();
  if (limits->max_cell_time > absl::ZeroDuration() && cell_time > limits->max_cell_time) {
    return BadField(
        "limits.max_cell_time",
        absl::StrCat("may only tighten the policy's ", absl::FormatDuration(limits->max_cell_time),
                     ", not raise it to ", absl::FormatDuration(cell_time)));
  }
  limits->max_cell_time = cell_time;
  return absl::OkStatus();
}

absl::StatusOr<CellSpec> ValidateExecute(const v1::ExecuteRequest& request) {
  CELLBLOCK_RETURN_IF_ERROR(ValidateCode(request));
  CELLBLOCK_RETURN_IF_ERROR(ValidateExpressions(request));
  CELLBLOCK_RETURN_IF_ERROR(ValidateDuration("timeout", request.timeout()));
  CELLBLOCK_RETURN_IF_ERROR(ValidateReserved(request));
  if (!request.execution_id().empty() && !IsExecutionId(request.execution_id())) {
    return BadField("execution_id", "must be at most 128 of [A-Za-z0-9_-]");
  }
  if (!v1::OnDisconnect_IsValid(request.on_disconnect())) {
    return BadField("on_disconnect", "no such value");
  }
  CellSpec spec;
  spec.request.code = request.code();
  spec.request.silent = request.silent();
  spec.request.offer_input = request.offer_input();
  spec.request.name = request.name();
  for (const auto& [name, code] : request.user_expressions()) {
    spec.request.expressions.emplace_back(name, code);
  }
  std::sort(spec.request.expressions.begin(), spec.request.expressions.end());
  spec.execution_id = request.execution_id();
  spec.timeout = FromProto(request.timeout());
  spec.on_disconnect = request.on_disconnect() == v1::KEEP_RUNNING ? DisconnectRule::kKeepRunning
                                                                   : DisconnectRule::kCancelCell;
  return spec;
}

}  // namespace cellblock
