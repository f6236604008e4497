// Policy to BPF. libseccomp makes the allow-list; a short hand-made prologue in front of it says
// what libseccomp cannot. In order, the first match decides:
//   1. another architecture                     kill the process
//   2. x32 numbers                              ENOSYS
//   3. clone3                                   ENOSYS (its flags lie in memory, unseen by a
//   filter)
//   4. DENY and NOT_AVAILABLE rules, as listed  EPERM, ENOSYS
//   5. ALLOW rules that libseccomp cannot hold  allow
//   6. calls above kNewestKnownCall             ENOSYS, so that a newer libc falls back
//   7. libseccomp's list of ALLOW rules         allow
//   8. everything else                          EPERM
#ifndef CELLBLOCK_SANDBOX_SECCOMP_COMPILER_H_
#define CELLBLOCK_SANDBOX_SECCOMP_COMPILER_H_

#include "absl/status/statusor.h"
#include "sandbox/seccomp/program.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

struct CompileOptions {
  // For hosts without the memory controller, where nothing counts memory that is in no process's
  // address space: memfd_create, and System V shared memory and message queues.
  bool refuse_memfd = false;
};

// INVALID_ARGUMENT names the rule and the call that libseccomp refused, or says that the filter is
// longer than the kernel takes.
absl::StatusOr<SeccompProgram> CompileSeccomp(const Policy& policy,
                                              const CompileOptions& options = {});

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_COMPILER_H_
