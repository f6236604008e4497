#include "tools/client/server_error.h"

#include <grpcpp/support/status.h>

#include "absl/strings/cord.h"
#include "cellblock/v1/runtime.pb.h"
#include "internal/status.pb.h"

namespace cellblock {
namespace {

constexpr char kPayload[] = "type.googleapis.com/cellblock.v1.ErrorInfo";

}  // namespace

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  internal::StatusDetails details;
  if (!details.ParseFromString(status.error_details())) return result;
  for (const google::protobuf::Any& detail : details.details()) {
    if (detail.Is<v1::ErrorInfo>()) result.SetPayload(kPayload, absl::Cord(detail.value()));
  }
  return result;
}

ServerError ServerErrorOf(const absl::Status& status) {
  ServerError error;
  const auto payload = status.GetPayload(kPayload);
  v1::ErrorInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return error;
  error.from_server = true;
  error.reason = info.reason();
  error.step = info.step();
  error.object = info.object();
  error.remedy = info.remedy();
  error.errno_value = info.errno_value();
  error.retryable = info.retryable();
  error.retry_after =
      absl::Seconds(info.retry_after().seconds()) + absl::Nanoseconds(info.retry_after().nanos());
  return error;
}

}  // namespace cellblock
