#include "daemon/session/error.h"

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

constexpr char kReason[] = "cellblock/reason";
constexpr char kObject[] = "cellblock/object";
constexpr char kRemedy[] = "cellblock/remedy";
constexpr char kRetryAfter[] = "cellblock/retry-after-ms";  // present: retryable

void Set(absl::Status* status, const char* key, const std::string& value) {
  if (!value.empty()) status->SetPayload(key, absl::Cord(value));
}

std::string Get(const absl::Status& status, const char* key) {
  const auto payload = status.GetPayload(key);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace

absl::Status MakeError(absl::StatusCode code, absl::string_view message,
                       const ErrorDetail& detail) {
  absl::Status status(code, message);
  Set(&status, kReason, detail.reason);
  Set(&status, kObject, detail.object);
  Set(&status, kRemedy, detail.remedy);
  if (detail.retryable) {
    Set(&status, kRetryAfter, absl::StrCat(absl::ToInt64Milliseconds(detail.retry_after)));
  }
  return status;
}

ErrorDetail DetailOf(const absl::Status& status) {
  ErrorDetail detail;
  detail.reason = Get(status, kReason);
  detail.object = Get(status, kObject);
  detail.remedy = Get(status, kRemedy);
  int64_t retry_after_ms = 0;
  detail.retryable = absl::SimpleAtoi(Get(status, kRetryAfter), &retry_after_ms);
  detail.retry_after = absl::Milliseconds(retry_after_ms);
  return detail;
}

absl::Status SessionNotFound(absl::string_view id) {
  return MakeError(absl::StatusCode::kNotFound, absl::StrCat("no session ", Printable(id)),
                   {.reason = "SESSION_NOT_FOUND", .object = Printable(id)});
}

absl::Status ExecutionNotFound(absl::string_view id) {
  return MakeError(absl::StatusCode::kNotFound, absl::StrCat("no execution ", Printable(id)),
                   {.reason = "EXECUTION_NOT_FOUND", .object = Printable(id)});
}

std::string Printable(absl::string_view text, size_t limit) {
  std::string out = absl::CHexEscape(text.substr(0, limit));
  if (text.size() > limit) out += "...";
  return out;
}

}  // namespace cellblock
