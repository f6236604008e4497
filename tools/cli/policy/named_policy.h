// Policies as the command line names them.
#ifndef CELLBLOCK_TOOLS_CLI_POLICY_NAMED_POLICY_H_
#define CELLBLOCK_TOOLS_CLI_POLICY_NAMED_POLICY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/seccomp/program.h"
#include "sandbox/spec/policy.h"

namespace cellblock::cli {

struct CompiledPolicy {
  Policy policy;
  SeccompProgram program;
};

// Everything that is wrong, and the policy if nothing is.
struct PolicyReview {
  std::vector<PolicyFinding> findings;
  std::optional<CompiledPolicy> compiled;
};

// $CELLBLOCK_POLICY_DIR, else share/cellblock/policies beside this program's folder.
std::string InstalledPolicies();

// Reads, resolves, lints and compiles what a file or an installed name stands for, and holds it to
// the floor under every policy. An error only if there is no such file or it cannot be read.
absl::StatusOr<PolicyReview> ReviewPolicy(const std::string& name, const Limits& ceiling = {});

// The same when nothing may be wrong: INVALID_ARGUMENT with all that is, one finding a line.
absl::StatusOr<CompiledPolicy> OpenPolicy(const std::string& name);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_POLICY_NAMED_POLICY_H_
