// Filters and calls for the tests of this folder.
#ifndef CELLBLOCK_TESTS_UNIT_SANDBOX_SECCOMP_FILTERS_H_
#define CELLBLOCK_TESTS_UNIT_SANDBOX_SECCOMP_FILTERS_H_

#include <linux/audit.h>

#include <cerrno>
#include <initializer_list>
#include <string>
#include <vector>

#include "sandbox/seccomp/compiler.h"
#include "sandbox/seccomp/evaluator.h"
#include "sandbox/spec/known_calls.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {

inline constexpr uint32_t kAllowed = SECCOMP_RET_ALLOW;
inline constexpr uint32_t kSaysEperm = SECCOMP_RET_ERRNO | EPERM;
inline constexpr uint32_t kSaysEnosys = SECCOMP_RET_ERRNO | ENOSYS;

inline SeccompProgram CompileText(const std::string& text, const CompileOptions& options = {}) {
  const absl::StatusOr<Policy> policy = Policy::Parse(text, "test");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  const absl::StatusOr<SeccompProgram> program = CompileSeccomp(*policy, options);
  INFO(program.status().ToString());
  REQUIRE(program.ok());
  return *program;
}

inline SeccompProgram CompileRules(const std::string& rules, const CompileOptions& options = {}) {
  return CompileText(PolicyWithRules(rules), options);
}

inline seccomp_data NativeCall(int number, std::initializer_list<uint64_t> arguments = {}) {
  seccomp_data call{};
  call.nr = number;
  call.arch = AUDIT_ARCH_X86_64;
  size_t i = 0;
  for (const uint64_t argument : arguments) call.args[i++] = argument;
  return call;
}

inline uint32_t Answer(const SeccompProgram& program, const char* name,
                       std::initializer_list<uint64_t> arguments = {}) {
  return EvaluateSeccomp(program, NativeCall(CallNumber(name), arguments)).value();
}

// A program out of instructions.
inline SeccompProgram ProgramOf(const std::vector<sock_filter>& code) {
  return *SeccompProgram::FromBytes(absl::string_view(reinterpret_cast<const char*>(code.data()),
                                                      code.size() * sizeof(sock_filter)));
}

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_SANDBOX_SECCOMP_FILTERS_H_
