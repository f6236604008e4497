// Policies with everything that is wrong in them, for the tools that check them.
#ifndef CELLBLOCK_SANDBOX_SPEC_LOAD_POLICY_H_
#define CELLBLOCK_SANDBOX_SPEC_LOAD_POLICY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/spec/finding.h"
#include "sandbox/spec/policy.h"
#include "sandbox/spec/policy_layers.h"

namespace cellblock {

// A policy out of a text and what it extends. INVALID_ARGUMENT with the first finding, when there
// is any.
absl::StatusOr<Policy> BuildPolicy(const PolicySource& source, const FindPolicy& find,
                                   std::vector<PolicyFinding>* findings);

// The same from a file; what it extends is looked for in its own folder, then in `folders`.
absl::StatusOr<Policy> LoadPolicy(const std::string& path, const std::vector<std::string>& folders,
                                  std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_LOAD_POLICY_H_
