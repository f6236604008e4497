// What is right by itself and wrong as a policy: rules without effect, rules that contradict each
// other, dangers outside of `dangerous`, limits above the operator's. The daemon and the tools take
// no policy with such a finding.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_LINTS_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_LINTS_H_

#include <vector>

#include "sandbox/spec/finding.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

void LintPolicy(const Policy& policy, std::vector<PolicyFinding>* findings);

// Zero fields of `ceiling` say nothing.
void LintCeiling(const Policy& policy, const Limits& ceiling, std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_LINTS_H_
