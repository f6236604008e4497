// Tables of what a policy must answer: CALL [ARGUMENT...] VERDICT, one a line; "#" begins a
// comment; "include NAME" takes over the lines of another table, whose verdicts a later line for
// the same call replaces. policies/tests has one for each policy.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_VERDICT_TABLE_H_
#define CELLBLOCK_SANDBOX_SECCOMP_VERDICT_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/seccomp/decision.h"
#include "sandbox/seccomp/program.h"

namespace cellblock {

struct VerdictLine {
  std::string text;  // the call as written
  SyscallCall call;
  Verdict wanted = Verdict::kEperm;
  SourcePlace place;
};

// INVALID_ARGUMENT "FILE:LINE: WHAT". Included files lie beside the one that names them.
absl::StatusOr<std::vector<VerdictLine>> LoadVerdictTable(const std::string& path);

// The filter's answer to one call. INVALID_ARGUMENT for a filter that the kernel would not load.
absl::StatusOr<Verdict> AskFilter(const SeccompProgram& program, const SyscallCall& call);

// One text for every line that the filter answers otherwise.
absl::StatusOr<std::vector<std::string>> CheckVerdicts(const SeccompProgram& program,
                                                       const std::vector<VerdictLine>& table);

// The policy's own rules (not those of what it extends) that decide no line of the table.
std::vector<const SyscallRule*> UncoveredRules(const Policy& policy,
                                               const std::vector<VerdictLine>& table);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_VERDICT_TABLE_H_
