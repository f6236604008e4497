// Why a call is answered as it is: the rule behind the filter's answer. The compiled filter is what
// the kernel runs; this walks the policy's rules in the order of compiler.h and must agree with it.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_DECISION_H_
#define CELLBLOCK_SANDBOX_SECCOMP_DECISION_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

enum class Verdict { kAllow, kEperm, kEnosys, kKill };

// "ALLOW", "EPERM", "ENOSYS", "KILL".
const char* NameOf(Verdict verdict);
absl::StatusOr<Verdict> ParseVerdict(absl::string_view name);
// Of a filter's 32-bit answer. A call whose refusal is reported to the daemon is an EPERM too.
absl::StatusOr<Verdict> VerdictOf(uint32_t answer);

struct SyscallCall {
  std::string name;  // "" if the number has none
  uint32_t number = 0;
  std::array<uint64_t, 6> arguments{};
};

// A call as people write it: a name or number and up to six arguments, which are C numbers or
// constants of that argument, or-ed with "|": {"ioctl", "0", "FIONREAD"}. Missing ones are 0.
// INVALID_ARGUMENT names the word.
absl::StatusOr<SyscallCall> ParseCall(const std::vector<std::string>& words);

struct Decision {
  Verdict verdict = Verdict::kEperm;
  const SyscallRule* rule = nullptr;  // of the policy; nullptr if none decides
  std::string why;                    // in words, if no rule decides
};

Decision Decide(const Policy& policy, const SyscallCall& call);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_DECISION_H_
