#include "sandbox/seccomp/decision.h"

#include <linux/seccomp.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/argument_names.h"
#include "sandbox/spec/known_calls.h"
#include "sandbox/spec/recommended_calls.h"
#include "sandbox/spec/rule_cover.h"

namespace cellblock {
namespace {

using Action = SyscallRule::Action;

constexpr uint32_t kX32Bit = 0x40000000;
constexpr size_t kMaxArguments = 6;

absl::StatusOr<uint64_t> ParseNumber(const std::string& word) {
  errno = 0;
  char* end = nullptr;
  const bool digit = !word.empty() && absl::ascii_isdigit(word[0]);
  const uint64_t value = digit ? strtoull(word.c_str(), &end, 0) : 0;
  if (!digit || *end != '\0' || errno != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::CHexEscape(word), "\" is no number, and no constant known here"));
  }
  return value;
}

absl::StatusOr<uint64_t> ParseArgument(const std::string& word, const ArgumentFamily* family) {
  uint64_t value = 0;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(word, '|'))) {
    const auto constant = family != nullptr ? FindConstant(*family, part) : std::nullopt;
    if (constant) {
      value |= *constant;
      continue;
    }
    const std::string elsewhere = WhereConstantBelongs(part);
    if (!elsewhere.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(part, " belongs to ", elsewhere));
    }
    CELLBLOCK_ASSIGN_OR_RETURN(const uint64_t number, ParseNumber(part));
    value |= number;
  }
  return value;
}

bool Matches(const SyscallRule& rule, const SyscallCall& call) {
  if (std::find(rule.calls.begin(), rule.calls.end(), call.name) == rule.calls.end()) return false;
  return std::all_of(rule.when.begin(), rule.when.end(), [&](const ArgumentTest& test) {
    return Holds(test, call.arguments[test.argument]);
  });
}

// The first rule of either kind that matches.
const SyscallRule* FirstMatch(const Policy& policy, const SyscallCall& call, bool refusals) {
  for (const SyscallRule& rule : policy.syscall_rules()) {
    if ((rule.action != Action::kAllow) == refusals && Matches(rule, call)) return &rule;
  }
  return nullptr;
}

std::string WhyRefused(const Policy& policy, const SyscallCall& call) {
  if (IsNeverAllowed(call.name)) {
    return "no rule allows it, and none can: it is under the floor of every policy";
  }
  const bool other = std::any_of(
      policy.syscall_rules().begin(), policy.syscall_rules().end(), [&](const SyscallRule& rule) {
        return std::find(rule.calls.begin(), rule.calls.end(), call.name) != rule.calls.end();
      });
  return other ? "no rule allows it with these arguments" : "no rule allows it";
}

}  // namespace

const char* NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllow:
      return "ALLOW";
    case Verdict::kEperm:
      return "EPERM";
    case Verdict::kEnosys:
      return "ENOSYS";
    case Verdict::kKill:
      return "KILL";
  }
  return "?";
}

absl::StatusOr<Verdict> ParseVerdict(absl::string_view name) {
  for (const Verdict verdict :
       {Verdict::kAllow, Verdict::kEperm, Verdict::kEnosys, Verdict::kKill}) {
    if (name == NameOf(verdict)) return verdict;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(name), "\" is none of ALLOW, EPERM, ENOSYS and KILL"));
}

absl::StatusOr<Verdict> VerdictOf(uint32_t answer) {
  switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
      return Verdict::kAllow;
    case SECCOMP_RET_KILL_PROCESS:
    case SECCOMP_RET_KILL_THREAD:
      return Verdict::kKill;
    case SECCOMP_RET_USER_NOTIF:
      return Verdict::kEperm;
    case SECCOMP_RET_ERRNO:
      if ((answer & SECCOMP_RET_DATA) == ENOSYS) return Verdict::kEnosys;
      if ((answer & SECCOMP_RET_DATA) == EPERM) return Verdict::kEperm;
      break;
    default:
      break;
  }
  return absl::InternalError(absl::StrCat("a filter answers 0x", absl::Hex(answer)));
}

absl::StatusOr<SyscallCall> ParseCall(const std::vector<std::string>& words) {
  if (words.empty()) return absl::InvalidArgumentError("name a system call");
  if (words.size() > kMaxArguments + 1) {
    return absl::InvalidArgumentError("a system call has at most six arguments");
  }
  SyscallCall call;
  call.name = words[0];
  const int number = CallNumber(call.name);
  if (number >= 0) {
    call.number = static_cast<uint32_t>(number);
  } else if (IsKnownCall(call.name)) {
    return absl::InvalidArgumentError(call.name + " is not a system call of this architecture");
  } else {
    const absl::StatusOr<uint64_t> value = ParseNumber(words[0]);
    if (!value.ok() || *value > UINT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("no such system call: ", absl::CHexEscape(words[0])));
    }
    call.number = static_cast<uint32_t>(*value);
    call.name = CallName(call.number);
  }
  for (size_t i = 1; i < words.size(); ++i) {
    const ArgumentFamily* family = FamilyOf(call.name, static_cast<int>(i) - 1);
    CELLBLOCK_ASSIGN_OR_RETURN(call.arguments[i - 1], ParseArgument(words[i], family));
  }
  return call;
}

Decision Decide(const Policy& policy, const SyscallCall& call) {
  if (call.number >= kX32Bit) return {Verdict::kEnosys, nullptr, "numbers of x32 are not served"};
  const SyscallRule* refusal = FirstMatch(policy, call, /*refusals=*/true);
  if (call.name == "clone3") {
    return {Verdict::kEnosys, refusal, "its flags lie in memory, which no filter sees"};
  }
  if (refusal != nullptr) {
    return {refusal->action == Action::kDeny ? Verdict::kEperm : Verdict::kEnosys, refusal, ""};
  }
  const SyscallRule* allowing = FirstMatch(policy, call, /*refusals=*/false);
  if (allowing != nullptr) return {Verdict::kAllow, allowing, ""};
  if (call.number > uint32_t{kNewestKnownCall}) {
    return {Verdict::kEnosys, nullptr, "newer than Linux 5.17 and in no rule: callers fall back"};
  }
  return {Verdict::kEperm, nullptr, WhyRefused(policy, call)};
}

}  // namespace cellblock
