// The floor under every policy: whoever compiled the program, these calls are refused whatever
// their arguments. The launcher asks, so the question is put to all calls of a kind at once
// (machine.h): a program that lets mount(2) through for one secret argument is found out.
#include <linux/audit.h>
#include <seccomp.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/evaluator.h"
#include "sandbox/seccomp/machine.h"
#include "sandbox/spec/known_calls.h"
#include "sandbox/spec/recommended_calls.h"

namespace cellblock {
namespace {

constexpr uint32_t kX32Bit = 0x40000000;
constexpr uint32_t kNamespaceFlags = 0x7E020000;  // CLONE_NEW* that clone takes
constexpr int kBits = 32;

// init shares the payload's uid, so only the filter keeps these from it: they are refused on any
// process but the caller, which they name as 0.
struct ByProcess {
  const char* name;
  int argument;
};
constexpr ByProcess kOnlySelf[] = {{"prlimit64", 0},          {"sched_setaffinity", 0},
                                   {"sched_setscheduler", 0}, {"sched_setparam", 0},
                                   {"sched_setattr", 0},      {"setpriority", 0},
                                   {"setpriority", 1}};

bool Refuses(const Word& answer) {
  if (!answer.exact()) return false;
  const uint32_t action = answer.value & SECCOMP_RET_ACTION_FULL;
  return action == SECCOMP_RET_KILL_PROCESS || action == SECCOMP_RET_KILL_THREAD ||
         (action == SECCOMP_RET_ERRNO && (answer.value & SECCOMP_RET_DATA) != 0);
}
bool Kills(const Word& answer) {
  return answer.exact() && answer.value == SECCOMP_RET_KILL_PROCESS;
}
bool SaysNotThere(const Word& answer) {
  return answer.exact() && answer.value == (SECCOMP_RET_ERRNO | ENOSYS);
}

class Floor {
 public:
  explicit Floor(const SeccompProgram& program) : machine_(program.instructions()) {}

  absl::Status Check() {
    CELLBLOCK_RETURN_IF_ERROR(CheckForeign());
    for (const char* name : NeverAllowedCalls()) {
      CELLBLOCK_RETURN_IF_ERROR(
          Expect(PartialCall::Native(CallNumber(name)), Refuses, absl::StrCat("refuse ", name)));
    }
    CELLBLOCK_RETURN_IF_ERROR(
        Expect(PartialCall::Native(SCMP_SYS(clone3)), SaysNotThere, "answer ENOSYS to clone3"));
    CELLBLOCK_RETURN_IF_ERROR(
        CheckBits(SCMP_SYS(clone), 0, kNamespaceFlags, "refuse clone with namespace flags"));
    for (const ByProcess& call : kOnlySelf) {
      CELLBLOCK_RETURN_IF_ERROR(
          CheckBits(CallNumber(call.name), call.argument, UINT32_MAX,
                    absl::StrCat("refuse ", call.name, " on other processes")));
    }
    CELLBLOCK_RETURN_IF_ERROR(CheckFamilies(SCMP_SYS(socket), "socket"));
    return CheckFamilies(SCMP_SYS(socketpair), "socketpair");
  }

 private:
  absl::Status Expect(const PartialCall& call, bool met(const Word&), absl::string_view what) {
    for (const Word& answer : machine_.Answers(call)) {
      if (!met(answer)) {
        return absl::PermissionDeniedError(absl::StrCat("the filter does not ", what));
      }
    }
    return absl::OkStatus();
  }

  // Each of the 32 questions is "all architectures that differ in this bit".
  absl::Status CheckForeign() {
    for (int bit = 0; bit < kBits; ++bit) {
      PartialCall call;
      call.arch() = Word::Differing(AUDIT_ARCH_X86_64, 1u << bit);
      CELLBLOCK_RETURN_IF_ERROR(Expect(call, Kills, "kill calls of a foreign architecture"));
    }
    PartialCall x32 = PartialCall::Native(0);
    x32.number() = Word::WithBits(kX32Bit);
    return Expect(x32, Refuses, "refuse x32 calls");
  }

  // Refused whenever any bit of `bits` is set in the low half of the argument.
  absl::Status CheckBits(int number, int argument, uint32_t bits, absl::string_view what) {
    for (int bit = 0; bit < kBits; ++bit) {
      if ((bits & 1u << bit) == 0) continue;
      PartialCall call = PartialCall::Native(number);
      call.low(argument) = Word::WithBits(1u << bit);
      CELLBLOCK_RETURN_IF_ERROR(Expect(call, Refuses, what));
    }
    return absl::OkStatus();
  }

  // All families but AF_UNIX, AF_INET and AF_INET6: 0 to 15 one by one, the rest by their bits.
  absl::Status CheckFamilies(int number, absl::string_view name) {
    for (uint32_t family = 0; family < 16; ++family) {
      if (family == 1 || family == 2 || family == 10) continue;
      PartialCall call = PartialCall::Native(number);
      call.low(0) = Word::Exactly(family);
      CELLBLOCK_RETURN_IF_ERROR(
          Expect(call, Refuses, absl::StrCat("refuse ", name, " of family ", family)));
    }
    return CheckBits(number, 0, ~uint32_t{15}, absl::StrCat("refuse ", name, " of other families"));
  }

  Machine machine_;
};

}  // namespace

absl::Status CheckSeccompFloor(const SeccompProgram& program) {
  CELLBLOCK_RETURN_IF_ERROR(CheckWellFormed(program.instructions()));
  return Floor(program).Check();
}

}  // namespace cellblock
