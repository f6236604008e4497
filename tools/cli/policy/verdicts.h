// What compiled filters answer to whole calls: all arguments at once, not samples.
#ifndef CELLBLOCK_TOOLS_CLI_POLICY_VERDICTS_H_
#define CELLBLOCK_TOOLS_CLI_POLICY_VERDICTS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/seccomp/decision.h"
#include "sandbox/seccomp/program.h"

namespace cellblock::cli {

// Every answer that the call may get, over all arguments.
std::set<Verdict> VerdictsOf(const SeccompProgram& program, uint32_t number);

// Calls that tell rules of one name apart: each value that a test of either policy names, with and
// without noise in the upper half, and one that no test names, for every tested argument.
// RESOURCE_EXHAUSTED if the combinations are too many to try.
absl::StatusOr<std::vector<SyscallCall>> TellingCalls(const std::string& call, const Policy& a,
                                                      const Policy& b);

// "ioctl(argument 1 = TIOCSTI)": the arguments that some rule tests.
std::string DescribeCall(const SyscallCall& call, const Policy& a, const Policy& b);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_POLICY_VERDICTS_H_
