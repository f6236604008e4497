// Runs a compiled filter without the kernel: what would it answer to this call? Pure. Also the
// floor that the launcher holds every program to, whoever compiled it.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_EVALUATOR_H_
#define CELLBLOCK_SANDBOX_SECCOMP_EVALUATOR_H_

#include <linux/seccomp.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/seccomp/program.h"

namespace cellblock {

// The filter's 32-bit return value (SECCOMP_RET_*). INVALID_ARGUMENT for a program that the kernel
// would not load (jump out of range, unknown instruction, no return).
absl::StatusOr<uint32_t> EvaluateSeccomp(const SeccompProgram& program, const seccomp_data& call);

// OK only if the program kills foreign architectures, refuses x32 numbers, answers ENOSYS to clone3
// and refuses, whatever their arguments, the calls that no policy may allow (mounts, namespaces,
// bpf, other processes, ...: the list is in floor.cc). PERMISSION_DENIED names the first call that
// could get through; INVALID_ARGUMENT as above.
absl::Status CheckSeccompFloor(const SeccompProgram& program);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_EVALUATOR_H_
