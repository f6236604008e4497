#include "sandbox/seccomp/evaluator.h"

#include "sandbox/seccomp/machine.h"

namespace cellblock {

absl::StatusOr<uint32_t> EvaluateSeccomp(const SeccompProgram& program, const seccomp_data& call) {
  if (absl::Status status = CheckWellFormed(program.instructions()); !status.ok()) return status;
  // Every bit of the call is known, so exactly one way leads through the program.
  return Machine(program.instructions()).Answers(PartialCall::Of(call)).front().value;
}

}  // namespace cellblock
