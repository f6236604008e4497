#include "daemon/service/to_grpc_status.h"

#include <string>

#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/convert.h"
#include "daemon/session/error.h"
#include "internal/launcher.pb.h"
#include "internal/status.pb.h"
#include "sandbox/runtime/launcher_client.h"

namespace cellblock {
namespace {

constexpr size_t kMaxMessage = 4096;

// Reasons of statuses that were given none; a client may rely on every error having one.
const char* DefaultReason(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return "BAD_REQUEST";
    case absl::StatusCode::kNotFound:
      return "NOT_FOUND";
    case absl::StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case absl::StatusCode::kPermissionDenied:
      return "DENIED";
    case absl::StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case absl::StatusCode::kResourceExhausted:
      return "EXHAUSTED";
    case absl::StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case absl::StatusCode::kUnimplemented:
      return "NOT_IMPLEMENTED";
    case absl::StatusCode::kCancelled:
      return "CANCELLED";
    case absl::StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case absl::StatusCode::kAborted:
      return "ABORTED";
    default:
      return "INTERNAL";
  }
}

void AddSetupFailure(const absl::Status& status, v1::ErrorInfo* info) {
  const auto payload = status.GetPayload(kSetupFailurePayload);
  internal::SetupFailure failure;
  if (!payload.has_value() || !failure.ParseFromString(std::string(*payload))) return;
  if (info->reason().empty()) {
    info->set_reason(failure.invalid_request() ? "REFUSED_BY_LAUNCHER"
                     : failure.exhausted()     ? "EXHAUSTED"
                                               : "SETUP_FAILED");
  }
  info->set_step(Utf8(failure.step()));
  info->set_object(Utf8(failure.object()));
  info->set_errno_value(failure.errno_value());
  info->set_remedy(Utf8(failure.remedy()));
  if (failure.exhausted()) {
    info->set_retryable(true);
    info->mutable_retry_after()->set_seconds(1);
  }
}

v1::ErrorInfo ErrorInfoOf(const absl::Status& status) {
  const ErrorDetail detail = DetailOf(status);
  v1::ErrorInfo info;
  info.set_reason(detail.reason);
  info.set_object(Utf8(detail.object));
  info.set_remedy(Utf8(detail.remedy));
  info.set_retryable(detail.retryable);
  if (detail.retry_after > absl::ZeroDuration()) {
    ToProto(detail.retry_after, info.mutable_retry_after());
  }
  AddSetupFailure(status, &info);
  if (info.reason().empty()) info.set_reason(DefaultReason(status.code()));
  return info;
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::string message = Utf8(status.message().substr(0, kMaxMessage));
  internal::StatusDetails details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  details.add_details()->PackFrom(ErrorInfoOf(status));
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), message,
                      details.SerializeAsString());
}

}  // namespace cellblock
