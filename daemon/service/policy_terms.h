// What a policy says about a session beside its limits: whether this server can enforce all of it,
// and what a request may still choose. A request only ever tightens.
#ifndef CELLBLOCK_DAEMON_SERVICE_POLICY_TERMS_H_
#define CELLBLOCK_DAEMON_SERVICE_POLICY_TERMS_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/spec/policy.h"

namespace cellblock::v1 {
class CreateSessionRequest;
}

namespace cellblock {

// FAILED_PRECONDITION for what a policy declares and this server cannot give: allowed hosts, as
// long as there is no egress relay, and folders that the operator has not named. A session that
// went without would be another than the policy describes.
absl::Status CheckEnforceable(const Policy& policy, const std::set<std::string>& read_only_roots);

// The policy's variables and those of the request; INVALID_ARGUMENT if the request wants to change
// one of the policy's.
absl::StatusOr<std::map<std::string, std::string>> EnvironmentOf(
    const Policy& policy, const v1::CreateSessionRequest& request);

// The policy's zone, or if it names none the request's.
absl::StatusOr<std::string> TimeZoneOf(const Policy& policy,
                                       const v1::CreateSessionRequest& request);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_POLICY_TERMS_H_
