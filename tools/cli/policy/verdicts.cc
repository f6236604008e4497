#include "tools/cli/policy/verdicts.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sandbox/seccomp/machine.h"
#include "sandbox/spec/argument_names.h"
#include "sandbox/spec/known_calls.h"

namespace cellblock::cli {
namespace {

constexpr uint64_t kNoise = uint64_t{1} << 32;
constexpr size_t kMaxCalls = 20000;

using Candidates = std::map<int, std::set<uint64_t>>;  // by argument

void AddTest(const ArgumentTest& test, Candidates* candidates) {
  std::set<uint64_t>& values = (*candidates)[test.argument];
  std::vector<uint64_t> named = test.values;
  named.push_back(test.value);
  if (test.comparison == ArgumentTest::Comparison::kMaskedEqual) {
    for (uint64_t bit = 1; bit != 0; bit <<= 1) {
      if ((test.mask & bit) != 0) named.push_back(test.value ^ bit);
    }
  }
  for (const uint64_t value : named) {
    values.insert(value);
    values.insert(value ^ kNoise);
  }
}

Candidates CandidatesOf(const std::string& call, const Policy& a, const Policy& b) {
  Candidates candidates;
  for (const Policy* policy : {&a, &b}) {
    for (const SyscallRule& rule : policy->syscall_rules()) {
      if (std::find(rule.calls.begin(), rule.calls.end(), call) == rule.calls.end()) continue;
      for (const ArgumentTest& test : rule.when) AddTest(test, &candidates);
    }
  }
  for (auto& [argument, values] : candidates) {
    uint64_t other = 0;
    while (values.count(other) != 0) ++other;
    values.insert(other);
  }
  return candidates;
}

}  // namespace

std::set<Verdict> VerdictsOf(const SeccompProgram& program, uint32_t number) {
  Machine machine(program.instructions());
  std::set<Verdict> verdicts;
  for (const Word& answer : machine.Answers(PartialCall::Native(static_cast<int>(number)))) {
    const absl::StatusOr<Verdict> verdict = VerdictOf(answer.value);
    if (verdict.ok()) verdicts.insert(*verdict);
  }
  return verdicts;
}

absl::StatusOr<std::vector<SyscallCall>> TellingCalls(const std::string& call, const Policy& a,
                                                      const Policy& b) {
  SyscallCall first;
  first.name = call;
  first.number = static_cast<uint32_t>(CallNumber(call));
  std::vector<SyscallCall> calls = {first};
  for (const auto& [argument, values] : CandidatesOf(call, a, b)) {
    std::vector<SyscallCall> more;
    for (const SyscallCall& base : calls) {
      for (const uint64_t value : values) {
        if (more.size() == kMaxCalls) {
          return absl::ResourceExhaustedError(
              absl::StrCat(call, ": its rules test too many values to try them all"));
        }
        more.push_back(base);
        more.back().arguments[argument] = value;
      }
    }
    calls = std::move(more);
  }
  return calls;
}

std::string DescribeCall(const SyscallCall& call, const Policy& a, const Policy& b) {
  std::vector<std::string> tested;
  for (const auto& [argument, values] : CandidatesOf(call.name, a, b)) {
    tested.push_back(
        absl::StrCat("argument ", argument, " = ",
                     NameOfValue(FamilyOf(call.name, argument), call.arguments[argument])));
  }
  return absl::StrCat(call.name, tested.empty() ? "" : "(", absl::StrJoin(tested, ", "),
                      tested.empty() ? "" : ")");
}

}  // namespace cellblock::cli
