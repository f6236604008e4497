// Random policies, compiled, against the meaning of their rules written down a second time and more
// simply. Libseccomp's merging of rules and our prologue must both agree with it.
#include <random>

#include "sandbox/seccomp/decision.h"
#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

using Comparison = ArgumentTest::Comparison;

constexpr int kPolicies = 400;
constexpr const char* kCalls[] = {"ioctl", "fcntl", "mseal"};
// Few values, so that tests meet and miss; the halves and single bits matter.
constexpr uint64_t kValues[] = {0, 1, 2, 3, 0x100000000, 0x100000001, 0xffffffff};

uint64_t Pick(std::mt19937& random) {
  return kValues[random() % std::size(kValues)];
}

std::string RandomTest(std::mt19937& random) {
  const bool low = random() % 2 == 0;
  const uint64_t width = low ? UINT32_MAX : UINT64_MAX;
  std::string text = " when { argument: " + std::to_string(random() % 2);
  if (low) text += " low_32_bits: true";
  switch (random() % 4) {
    case 0:
      return text + " comparison: EQUAL value: " + std::to_string(Pick(random) & width) + " }";
    case 1: {
      const uint64_t mask = ((Pick(random) & width) | 1) & width;
      return text + " comparison: MASKED_EQUAL mask: " + std::to_string(mask) +
             " value: " + std::to_string(Pick(random) & mask) + " }";
    }
    default:
      text += random() % 2 == 0 ? " comparison: ONE_OF" : " comparison: NONE_OF";
      for (unsigned count = 1 + random() % 3; count > 0; --count) {
        text += " values: " + std::to_string(Pick(random) & width);
      }
      return text + " }";
  }
}

std::string RandomRules(std::mt19937& random) {
  std::string rules;
  for (unsigned count = 1 + random() % 5; count > 0; --count) {
    rules += "rules { reason: 'r' calls: '" + std::string(kCalls[random() % 3]) + "'";
    const unsigned action = random() % 6;
    if (action == 0) rules += " action: DENY";
    if (action == 1) rules += " action: NOT_AVAILABLE";
    for (unsigned tests = random() % 4; tests > 0; --tests) rules += RandomTest(random);
    rules += " }\n";
  }
  return rules;
}

bool Holds(const ArgumentTest& test, const seccomp_data& call) {
  uint64_t argument = call.args[test.argument];
  if (test.low_32_bits) argument &= UINT32_MAX;
  const bool listed =
      std::find(test.values.begin(), test.values.end(), argument) != test.values.end();
  switch (test.comparison) {
    case Comparison::kEqual:
      return argument == test.value;
    case Comparison::kMaskedEqual:
      return (argument & test.mask) == test.value;
    case Comparison::kOneOf:
      return listed;
    default:
      return !listed;
  }
}

uint32_t Meaning(const Policy& policy, const std::string& name, const seccomp_data& call) {
  bool allowed = false;
  for (const SyscallRule& rule : policy.syscall_rules()) {
    if (std::find(rule.calls.begin(), rule.calls.end(), name) == rule.calls.end()) continue;
    if (!std::all_of(rule.when.begin(), rule.when.end(),
                     [&](const ArgumentTest& test) { return Holds(test, call); })) {
      continue;
    }
    if (rule.action == SyscallRule::Action::kDeny) return kSaysEperm;
    if (rule.action == SyscallRule::Action::kNotAvailable) return kSaysEnosys;
    allowed = true;
  }
  return allowed ? kAllowed : call.nr > kNewestKnownCall ? kSaysEnosys : kSaysEperm;
}

TEST_CASE("compiled policies mean what their rules say") {
  std::mt19937 random(7);
  for (int round = 0; round < kPolicies; ++round) {
    const std::string text = PolicyWithRules(RandomRules(random));
    CAPTURE(text);
    const absl::StatusOr<Policy> policy = Policy::Parse(text, "random");
    REQUIRE(policy.ok());
    const absl::StatusOr<SeccompProgram> program = CompileSeccomp(*policy);
    REQUIRE(program.ok());
    for (const char* name : kCalls) {
      for (const uint64_t first : kValues) {
        for (const uint64_t second : kValues) {
          const seccomp_data call = NativeCall(CallNumber(name), {first, second});
          CAPTURE(name, first, second);
          const uint32_t answer = *EvaluateSeccomp(*program, call);
          REQUIRE(answer == Meaning(*policy, name, call));
          const SyscallCall asked{name, static_cast<uint32_t>(call.nr), {first, second}};
          REQUIRE(Decide(*policy, asked).verdict == *VerdictOf(answer));
        }
      }
    }
  }
}

// What no rule names, no call gets, whatever the policy's other rules are.
TEST_CASE("empty lists allow nothing") {
  const SeccompProgram nothing = CompileText(kMinimalPolicy);
  std::mt19937 random(11);
  for (int round = 0; round < kPolicies / 4; ++round) {
    const SeccompProgram some = CompileRules(RandomRules(random));
    for (const uint32_t number : KnownNumbers()) {
      const seccomp_data call =
          NativeCall(static_cast<int>(number), {Pick(random), Pick(random), random()});
      CAPTURE(round, number);
      REQUIRE(*EvaluateSeccomp(nothing, call) != kAllowed);
      const std::string name = CallName(number);
      const bool named = std::find(std::begin(kCalls), std::end(kCalls), name) != std::end(kCalls);
      if (!named) REQUIRE(*EvaluateSeccomp(some, call) != kAllowed);
    }
  }
}

}  // namespace
}  // namespace cellblock
