// Policy to BPF, through libseccomp: architecture check (kill), x32 refused, clone3 and calls newer
// than the policy knows answer ENOSYS, refused calls EPERM, the rest by the policy's rules.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_COMPILER_H_
#define CELLBLOCK_SANDBOX_SECCOMP_COMPILER_H_

#include "absl/status/statusor.h"
#include "sandbox/seccomp/program.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

struct CompileOptions {
  // On hosts without the memory controller: memory behind a memfd is counted by nothing there.
  bool refuse_memfd = false;
};

// INVALID_ARGUMENT names the rule and the call that libseccomp refused.
absl::StatusOr<SeccompProgram> CompileSeccomp(const Policy& policy,
                                              const CompileOptions& options = {});

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_COMPILER_H_
