// compile-policy FILE: writes the policy's compiled seccomp filter to standard output. For tests
// that speak to the launcher without a daemon.
#include <cstdio>

#include "sandbox/base/io.h"
#include "sandbox/seccomp/compiler.h"
#include "sandbox/spec/policy.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::StatusOr<cellblock::Policy> policy = cellblock::Policy::Load(argv[1]);
  const absl::StatusOr<cellblock::SeccompProgram> program =
      policy.ok() ? cellblock::CompileSeccomp(*policy) : policy.status();
  if (!program.ok()) {
    fprintf(stderr, "%s\n", program.status().ToString().c_str());
    return 1;
  }
  return cellblock::WriteAll(1, program->bytes()).ok() ? 0 : 1;
}
