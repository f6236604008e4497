#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

TEST_CASE("an empty policy allows nothing") {
  const SeccompProgram program = CompileText(kMinimalPolicy);
  for (int number = 0; number < 600; ++number) {
    const uint32_t answer = *EvaluateSeccomp(program, NativeCall(number));
    CAPTURE(number);
    CHECK(answer ==
          (number > kNewestKnownCall || number == CallNumber("clone3") ? kSaysEnosys : kSaysEperm));
  }
  CHECK(CheckSeccompFloor(program).ok());
}

TEST_CASE("foreign architectures are killed and x32 is not there, whatever is allowed") {
  const SeccompProgram program = CompileRules("rules { reason: 'r' calls: 'getpid' }");
  seccomp_data call = NativeCall(CallNumber("getpid"));
  CHECK(*EvaluateSeccomp(program, call) == kAllowed);
  call.nr |= 0x40000000;
  CHECK(*EvaluateSeccomp(program, call) == kSaysEnosys);
  for (const uint32_t arch :
       std::initializer_list<uint32_t>{AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0}) {
    call.arch = arch;
    CHECK(*EvaluateSeccomp(program, call) == SECCOMP_RET_KILL_PROCESS);
  }
}

TEST_CASE("a call newer than the policies know can be named") {
  const SeccompProgram program = CompileRules(
      "rules { reason: 'r' calls: 'fchmodat2' calls: 'mseal' }"
      "rules { reason: 'r' calls: 'cachestat' action: DENY }");
  CHECK(Answer(program, "fchmodat2") == kAllowed);
  CHECK(Answer(program, "mseal") == kAllowed);
  CHECK(Answer(program, "cachestat") == kSaysEperm);
  CHECK(Answer(program, "setxattrat") == kSaysEnosys);
}

TEST_CASE("a refusal wins over every ALLOW, with its tests") {
  const SeccompProgram program = CompileRules(
      "rules { reason: 'r' group: '@basic-io' }"
      "rules { reason: 'r' calls: 'write' }"
      "rules { reason: 'r' calls: 'write' action: DENY"
      "  when { argument: 0 comparison: EQUAL value: 7 low_32_bits: true } }"
      "rules { reason: 'r' calls: 'read' action: NOT_AVAILABLE"
      "  when { argument: 0 comparison: NONE_OF values: 0 values: 3 } }"
      "rules { reason: 'r' calls: 'tee' action: DENY }"
      "rules { reason: 'r' calls: 'tee' calls: 'splice' action: NOT_AVAILABLE }");
  CHECK(Answer(program, "write", {1}) == kAllowed);
  CHECK(Answer(program, "write", {7}) == kSaysEperm);
  CHECK(Answer(program, "write", {0xffffffff00000007}) == kSaysEperm);
  CHECK(Answer(program, "read", {0}) == kAllowed);
  CHECK(Answer(program, "read", {3}) == kAllowed);
  CHECK(Answer(program, "read", {0x100000003}) == kSaysEnosys);
  CHECK(Answer(program, "read", {4}) == kSaysEnosys);
  CHECK(Answer(program, "tee") == kSaysEperm);  // the first refusal decides
  CHECK(Answer(program, "splice") == kSaysEnosys);
}

TEST_CASE("NONE_OF is exact, and does not refuse what another rule allows") {
  const std::string none =
      "rules { reason: 'r' calls: 'ioctl' when { argument: 1 comparison: NONE_OF"
      " values: 0x5412 values: 0x541c low_32_bits: true } }";
  const SeccompProgram program = CompileRules(none);
  CHECK(Answer(program, "ioctl", {0, 0x5401}) == kAllowed);
  CHECK(Answer(program, "ioctl", {0, 0x5412}) == kSaysEperm);
  CHECK(Answer(program, "ioctl", {0, 0x541c}) == kSaysEperm);
  CHECK(Answer(program, "ioctl", {0, 0xdead00005412}) == kSaysEperm);
  const SeccompProgram both = CompileRules(
      none +
      "rules { reason: 'r' calls: 'ioctl' when { argument: 0 comparison: EQUAL value: 9 } }");
  CHECK(Answer(both, "ioctl", {9, 0x5412}) == kAllowed);
  CHECK(Answer(both, "ioctl", {8, 0x5412}) == kSaysEperm);
}

TEST_CASE("64-bit comparisons see the upper half, 32-bit ones do not") {
  const SeccompProgram program = CompileRules(
      "rules { reason: 'r' calls: 'lseek' when { argument: 1 comparison: EQUAL value: 5 } }"
      "rules { reason: 'r' calls: 'dup' when { argument: 0 comparison: EQUAL value: 5"
      " low_32_bits: true } }");
  CHECK(Answer(program, "lseek", {0, 5}) == kAllowed);
  CHECK(Answer(program, "lseek", {0, 0x100000005}) == kSaysEperm);
  CHECK(Answer(program, "dup", {5}) == kAllowed);
  CHECK(Answer(program, "dup", {0x100000005}) == kAllowed);
  CHECK(Answer(program, "dup", {6}) == kSaysEperm);
}

TEST_CASE("memory that nothing counts can be refused") {
  const std::string rules =
      "rules { reason: 'r' group: '@memory' } rules { reason: 'r' group: '@ipc' }";
  for (const char* call : {"memfd_create", "shmget", "msgget"}) {
    CHECK(Answer(CompileRules(rules), call) == kAllowed);
    CHECK(Answer(CompileRules(rules, {.refuse_memfd = true}), call) == kSaysEperm);
  }
  CHECK(Answer(CompileRules(rules, {.refuse_memfd = true}), "mmap") == kAllowed);
}

TEST_CASE("long lists work, and a filter longer than the kernel takes is an error") {
  std::string values;
  for (int i = 0; i < 256; ++i) values += " values: " + std::to_string(i * 2);
  const std::string test = "comparison: NONE_OF" + values + " }";
  const SeccompProgram program =
      CompileRules("rules { reason: 'r' calls: 'ioctl' when { argument: 1 " + test + "}");
  for (uint64_t value = 0; value < 600; ++value) {
    CHECK(Answer(program, "ioctl", {0, value}) ==
          (value < 512 && value % 2 == 0 ? kSaysEperm : kAllowed));
  }
  std::string rule = "rules { reason: 'r' calls: 'ioctl'";
  for (int argument = 0; argument < 6; ++argument) {
    rule += " when { argument: " + std::to_string(argument) + " " + test;
  }
  const absl::StatusOr<Policy> policy = Policy::Parse(PolicyWithRules(rule + "}"), "test");
  REQUIRE(policy.ok());
  CHECK(CompileSeccomp(*policy).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("bytes of a program go through FromBytes") {
  const SeccompProgram program = CompileText(kMinimalPolicy);
  const std::string bytes = program.bytes();
  CHECK(SeccompProgram::FromBytes(bytes)->bytes() == bytes);
  CHECK_FALSE(SeccompProgram::FromBytes("").ok());
  CHECK_FALSE(SeccompProgram::FromBytes(bytes.substr(1)).ok());
  CHECK(SeccompProgram::FromBytes(std::string(4096 * 8, '\0')).ok());
  CHECK_FALSE(SeccompProgram::FromBytes(std::string(4097 * 8, '\0')).ok());
}

}  // namespace
}  // namespace cellblock
