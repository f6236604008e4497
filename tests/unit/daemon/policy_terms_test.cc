// What a session gets of its policy, and what its request may still say.
#include "daemon/service/policy_terms.h"

#include "cellblock/v1/runtime.pb.h"
#include "daemon/session/error.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

Policy With(const std::string& text) {
  const auto policy = Policy::Parse(kMinimalPolicy + text, "F");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  return *policy;
}

TEST_CASE("a policy that allows hosts waits for the relay") {
  CHECK(CheckEnforceable(With(""), {}).ok());
  const absl::Status status =
      CheckEnforceable(With("network { allow { reason: 'packages' host: 'pypi.org:443' } }"), {});
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(status.message().find("relay") != absl::string_view::npos);
  CHECK(DetailOf(status).reason == "NETWORK_NOT_AVAILABLE");
  CHECK_FALSE(DetailOf(status).remedy.empty());
}

TEST_CASE("a policy shows folders that the operator has named, and no others") {
  const Policy policy = With("filesystem { read_only { reason: 'r' name: 'prices' } }");
  CHECK(CheckEnforceable(policy, {"prices", "other"}).ok());
  const absl::Status status = CheckEnforceable(policy, {"other"});
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(DetailOf(status).reason == "READ_ONLY_FOLDER_NOT_NAMED");
  CHECK(DetailOf(status).remedy.find("read_only_roots") != std::string::npos);
}

TEST_CASE("a request adds variables and changes none") {
  const Policy policy = With("environment { name: 'MODE' value: 'safe' }");
  v1::CreateSessionRequest request;
  (*request.mutable_environment())["OTHER"] = "1";
  (*request.mutable_environment())["MODE"] = "safe";
  const auto merged = EnvironmentOf(policy, request);
  REQUIRE(merged.ok());
  CHECK(*merged == std::map<std::string, std::string>{{"MODE", "safe"}, {"OTHER", "1"}});
  (*request.mutable_environment())["MODE"] = "free";
  CHECK(EnvironmentOf(policy, request).status().code() == absl::StatusCode::kInvalidArgument);
  (*request.mutable_environment())["MODE"] = "safe";
  for (int i = 0; i < 3; ++i) {
    (*request.mutable_environment())["BIG" + std::to_string(i)] = std::string(32000, 'x');
  }
  CHECK(EnvironmentOf(policy, request).status().message().find("64 KiB") !=
        absl::string_view::npos);
}

TEST_CASE("the policy's time zone stands") {
  v1::CreateSessionRequest request;
  CHECK(*TimeZoneOf(With(""), request) == "");
  CHECK(*TimeZoneOf(With("time_zone: 'Asia/Tokyo'"), request) == "Asia/Tokyo");
  request.set_time_zone("Europe/Paris");
  CHECK(*TimeZoneOf(With(""), request) == "Europe/Paris");
  const absl::Status status = TimeZoneOf(With("time_zone: 'Asia/Tokyo'"), request).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(status.message().find("Asia/Tokyo") != absl::string_view::npos);
}

}  // namespace
}  // namespace cellblock
