// Explanations as JSON, and JSON explanations as text: the two forms of `explain` cannot differ.
#ifndef CELLBLOCK_TOOLS_CLI_POLICY_EXPLANATION_H_
#define CELLBLOCK_TOOLS_CLI_POLICY_EXPLANATION_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/cli/policy/named_policy.h"

namespace cellblock::cli {

// The whole policy: values, hosts, dangers and every system call.
absl::StatusOr<nlohmann::json> ExplainPolicy(const CompiledPolicy& compiled);

// One call: with arguments what decides these, without them every rule about it. INVALID_ARGUMENT
// if the words are no call.
absl::StatusOr<nlohmann::json> ExplainCall(const CompiledPolicy& compiled,
                                           const std::vector<std::string>& words);

// An absolute path inside the sandbox.
absl::StatusOr<nlohmann::json> ExplainPath(const Policy& policy, const std::string& path);

// "host:port", or a host alone.
absl::StatusOr<nlohmann::json> ExplainHost(const Policy& policy, const std::string& host);

// Safe to print.
std::string ExplanationText(const nlohmann::json& explanation);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_POLICY_EXPLANATION_H_
