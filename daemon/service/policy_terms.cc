#include "daemon/service/policy_terms.h"

#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/validate.h"
#include "daemon/session/error.h"
#include "sandbox/spec/environment.h"

namespace cellblock {

absl::Status CheckEnforceable(const Policy& policy, const std::set<std::string>& read_only_roots) {
  if (!policy.allowed_hosts().empty()) {
    const AllowedHost& host = policy.allowed_hosts().front();
    return MakeError(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat(
            "policy \"", policy.name(), "\" allows hosts (", host.host,
            ", and the like), and the egress relay that would reach them is not there yet"),
        {.reason = "NETWORK_NOT_AVAILABLE",
         .object = absl::StrCat("network.allow of policy ", policy.name()),
         .remedy = "use a policy without network.allow; files can be uploaded instead"});
  }
  for (const ReadOnlyBind& bind : policy.read_only_binds()) {
    if (read_only_roots.count(bind.name) != 0) continue;
    return MakeError(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("policy \"", policy.name(), "\" asks for the folder \"", bind.name,
                     "\", which the operator has not named"),
        {.reason = "READ_ONLY_FOLDER_NOT_NAMED",
         .object = absl::StrCat("filesystem.read_only of policy ", policy.name()),
         .remedy = "add it to launcher.read_only_roots of the daemon's configuration"});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, std::string>> EnvironmentOf(
    const Policy& policy, const v1::CreateSessionRequest& request) {
  std::map<std::string, std::string> environment(request.environment().begin(),
                                                 request.environment().end());
  for (const EnvironmentVariable& variable : policy.environment()) {
    const auto [own, fresh] = environment.emplace(variable.name, variable.value);
    if (!fresh && own->second != variable.value) {
      return BadField("environment", absl::StrCat(variable.name, " is set by policy ",
                                                  policy.name(), " and cannot be changed"));
    }
  }
  size_t total = 0;
  for (const auto& [name, value] : environment) total += name.size() + value.size() + 2;
  if (total > kMaxEnvironmentTotal) {
    return BadField("environment", "larger than 64 KiB with the policy's variables");
  }
  return environment;
}

absl::StatusOr<std::string> TimeZoneOf(const Policy& policy,
                                       const v1::CreateSessionRequest& request) {
  if (policy.time_zone().empty()) return request.time_zone();
  if (request.time_zone().empty() || request.time_zone() == policy.time_zone()) {
    return policy.time_zone();
  }
  return BadField("time_zone", absl::StrCat("policy ", policy.name(), " sets it to ",
                                            policy.time_zone(), "; leave it out"));
}

}  // namespace cellblock
