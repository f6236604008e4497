// What a client sees of an error.
#include <grpcpp/support/status.h>

#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/to_grpc_status.h"
#include "daemon/session/error.h"
#include "internal/launcher.pb.h"
#include "internal/status.pb.h"
#include "sandbox/runtime/launcher_client.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

v1::ErrorInfo InfoOf(const grpc::Status& status) {
  internal::StatusDetails details;
  REQUIRE(details.ParseFromString(status.error_details()));
  CHECK(details.code() == static_cast<int>(status.error_code()));
  REQUIRE(details.details_size() == 1);
  CHECK(details.details(0).type_url() == "type.googleapis.com/cellblock.v1.ErrorInfo");
  v1::ErrorInfo info;
  REQUIRE(details.details(0).UnpackTo(&info));
  return info;
}

TEST_CASE("OK stays OK") {
  CHECK(ToGrpcStatus(absl::OkStatus()).ok());
}

TEST_CASE("every code keeps its number and gets a reason") {
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status =
        ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(code), "why"));
    CHECK(static_cast<int>(status.error_code()) == code);
    CHECK(status.error_message() == "why");
    CHECK_FALSE(InfoOf(status).reason().empty());
  }
}

TEST_CASE("reason, object, remedy and retry travel as ErrorInfo") {
  const v1::ErrorInfo info = InfoOf(ToGrpcStatus(
      MakeError(absl::StatusCode::kResourceExhausted, "full",
                {"TOO_MANY_SESSIONS", "max_sessions", "wait", true, absl::Milliseconds(1500)})));
  CHECK(info.reason() == "TOO_MANY_SESSIONS");
  CHECK(info.object() == "max_sessions");
  CHECK(info.remedy() == "wait");
  CHECK(info.retryable());
  CHECK(info.retry_after().seconds() == 1);
  CHECK(info.retry_after().nanos() == 500000000);
}

TEST_CASE("a failed step of the launcher is named with object, errno and remedy") {
  internal::SetupFailure failure;
  failure.set_step("pivot_root");
  failure.set_object("/new_root");
  failure.set_errno_value(22);
  failure.set_remedy("mount it private");
  absl::Status status = absl::InternalError("pivot_root /new_root: Invalid argument");
  status.SetPayload(kSetupFailurePayload, absl::Cord(failure.SerializeAsString()));
  const v1::ErrorInfo info = InfoOf(ToGrpcStatus(status));
  CHECK(info.reason() == "SETUP_FAILED");
  CHECK(info.step() == "pivot_root");
  CHECK(info.object() == "/new_root");
  CHECK(info.errno_value() == 22);
  CHECK(info.remedy() == "mount it private");
  CHECK_FALSE(info.retryable());
}

TEST_CASE("an exhausted launcher may be asked again") {
  internal::SetupFailure failure;
  failure.set_exhausted(true);
  absl::Status status = absl::ResourceExhaustedError("no uid slot");
  status.SetPayload(kSetupFailurePayload, absl::Cord(failure.SerializeAsString()));
  const v1::ErrorInfo info = InfoOf(ToGrpcStatus(status));
  CHECK(info.retryable());
  CHECK(info.retry_after().seconds() == 1);
}

TEST_CASE("messages are cut and made valid UTF-8") {
  const grpc::Status status = ToGrpcStatus(absl::InternalError(std::string(10000, '\xff')));
  CHECK(status.error_message().size() <= 3 * 4096);
  const grpc::Status plain = ToGrpcStatus(absl::InternalError(std::string(10000, 'x')));
  CHECK(plain.error_message().size() == 4096);
}

}  // namespace
}  // namespace cellblock
