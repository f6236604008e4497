#include "sandbox/spec/policy_lints.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "sandbox/spec/argument_names.h"
#include "sandbox/spec/host_pattern.h"
#include "sandbox/spec/recommended_calls.h"
#include "sandbox/spec/rule_cover.h"

namespace cellblock {
namespace {

using Action = SyscallRule::Action;
using Comparison = ArgumentTest::Comparison;

class RuleLinter {
 public:
  RuleLinter(const Policy& policy, std::vector<PolicyFinding>* findings)
      : policy_(policy), rules_(policy.syscall_rules()), findings_(findings) {
    for (size_t i = 0; i < rules_.size(); ++i) {
      for (const std::string& call : rules_[i].calls) by_call_[call].push_back(i);
    }
  }

  void Lint() {
    for (size_t i = 0; i < rules_.size(); ++i) {
      LintTests(rules_[i]);
      LintDanger(rules_[i]);
      LintEffect(i);
    }
  }

 private:
  void Error(const SyscallRule& rule, const std::string& field, std::string what) {
    const std::string path = absl::StrCat(rule.field, field);
    findings_->push_back({policy_.PlaceOf(path), path, std::move(what)});
  }

  // Where it stands in the chain of `extends`: 0 is the base.
  size_t LayerOf(const SyscallRule& rule) const {
    const auto& files = policy_.files();
    return std::find(files.begin(), files.end(), rule.place.file) - files.begin();
  }

  // ".calls[2]", or ".group" for all of a group's.
  static std::string CallField(const SyscallRule& rule, size_t call) {
    return rule.group.empty() ? absl::StrCat(".calls[", call, "]") : ".group";
  }

  void LintTests(const SyscallRule& rule) {
    if (NeverMatches(rule.when)) {
      Error(rule, "", "never matches: no call meets all of its tests");
    }
    for (size_t i = 0; i < rule.when.size(); ++i) {
      const ArgumentTest& test = rule.when[i];
      const bool excludes =
          (rule.action == Action::kAllow) == (test.comparison == Comparison::kNoneOf);
      if (test.low_32_bits || !excludes || test.comparison == Comparison::kMaskedEqual) continue;
      for (const std::string& call : rule.calls) {
        if (FamilyOf(call, test.argument) == nullptr) continue;
        Error(rule, absl::StrCat(".when[", i, "]"),
              absl::StrCat("is got around: the kernel reads 32 bits of ", call, " argument ",
                           test.argument, ": add low_32_bits: true"));
        break;
      }
    }
  }

  void LintDanger(const SyscallRule& rule) {
    bool dangerous = false;
    std::set<std::string> seen;
    for (size_t i = 0; i < rule.calls.size(); ++i) {
      const std::string& call = rule.calls[i];
      if (!seen.insert(call).second) Error(rule, CallField(rule, i), call + " is listed twice");
      if (rule.action != Action::kAllow) continue;
      if (IsNeverAllowed(call)) {
        Error(rule, CallField(rule, i),
              call + " is under the floor: no policy can allow it, remove the rule");
      }
      const std::string danger = DangerOf(call, rule.when);
      dangerous = dangerous || !danger.empty();
      if (rule.dangerous || danger.empty() || IsNeverAllowed(call)) continue;
      Error(rule, CallField(rule, i), danger + ": such a rule belongs to dangerous.syscalls");
      if (!rule.group.empty()) break;
    }
    if (rule.dangerous && !dangerous) {
      Error(rule, "",
            rule.action == Action::kAllow
                ? "is not dangerous: it belongs to syscalls.rules"
                : "refuses, which is not dangerous: it belongs to syscalls.rules");
    }
  }

  // The rule that leaves this one nothing to do for the call; nullptr if there is none.
  const SyscallRule* Shadow(size_t index, const std::string& call) const {
    const SyscallRule& rule = rules_[index];
    for (const size_t other_index : by_call_.at(call)) {
      const SyscallRule& other = rules_[other_index];
      if (other_index == index || !Implies(rule.when, other.when)) continue;
      const bool refuses = other.action != Action::kAllow;
      if (rule.action != Action::kAllow && !(refuses && other_index < index)) continue;
      // A policy that extends may widen or narrow what it stands on.
      if (LayerOf(other) > LayerOf(rule)) continue;
      // Of two that say the same, the one that names the call beside a group that has it is one too
      // many, and else the later one.
      const bool same = !refuses && Implies(other.when, rule.when);
      const bool keeps =
          rule.group.empty() == other.group.empty() ? other_index > index : !rule.group.empty();
      if (same && keeps) continue;
      // A group may be narrowed at will.
      if (refuses && rule.action == Action::kAllow && !rule.group.empty() && other.group.empty()) {
        continue;
      }
      return &other;
    }
    return nullptr;
  }

  void LintEffect(size_t index) {
    const SyscallRule& rule = rules_[index];
    std::vector<std::pair<size_t, const SyscallRule*>> shadows;
    for (size_t i = 0; i < rule.calls.size(); ++i) {
      const SyscallRule* shadow = Shadow(index, rule.calls[i]);
      if (shadow != nullptr) shadows.emplace_back(i, shadow);
    }
    // Groups overlap, and that is nobody's mistake until nothing is left.
    if (!rule.group.empty() && shadows.size() < rule.calls.size()) return;
    for (const auto& [call, shadow] : shadows) {
      const bool refused = rule.action == Action::kAllow && shadow->action != Action::kAllow;
      Error(rule, CallField(rule, call),
            absl::StrCat(rule.calls[call],
                         refused ? " is allowed here and refused by " : " is decided by ",
                         shadow->place.ToString(),
                         refused ? ": a refusal wins, remove one of the two"
                                 : " already: this rule adds nothing"));
      if (!rule.group.empty()) return;
    }
  }

  const Policy& policy_;
  const std::vector<SyscallRule>& rules_;
  std::vector<PolicyFinding>* findings_;
  std::map<std::string, std::vector<size_t>> by_call_;
};

void LintHosts(const Policy& policy, std::vector<PolicyFinding>* findings) {
  std::vector<HostPattern> patterns;
  for (const AllowedHost& host : policy.allowed_hosts()) {
    patterns.push_back(*ParseHostPattern(host.host));
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    for (size_t other = 0; other < patterns.size(); ++other) {
      if (other == i || !patterns[other].Covers(patterns[i])) continue;
      if (patterns[i].Covers(patterns[other]) && other > i) continue;
      const AllowedHost& host = policy.allowed_hosts()[i];
      findings->push_back({host.place, absl::StrCat("network.allow[", i, "].host"),
                           absl::StrCat(host.host, " is allowed by ",
                                        policy.allowed_hosts()[other].place.ToString(),
                                        " already: this rule adds nothing")});
      break;
    }
  }
}

void LintNetworks(const Policy& policy, std::vector<PolicyFinding>* findings) {
  const auto& networks = policy.private_networks();
  for (size_t i = 0; i < networks.size(); ++i) {
    for (size_t other = 0; other < i; ++other) {
      if (!ParseRange(networks[other].range)->Contains(*ParseRange(networks[i].range))) continue;
      findings->push_back({networks[i].place,
                           absl::StrCat("dangerous.private_networks[", i, "].range"),
                           absl::StrCat("lies in ", networks[other].range, " of ",
                                        networks[other].place.ToString())});
      break;
    }
  }
  if (!networks.empty() && policy.allowed_hosts().empty()) {
    findings->push_back({networks[0].place, "dangerous.private_networks[0]",
                         "has no effect: network.allow names no host"});
  }
}

}  // namespace

void LintPolicy(const Policy& policy, std::vector<PolicyFinding>* findings) {
  RuleLinter(policy, findings).Lint();
  LintHosts(policy, findings);
  LintNetworks(policy, findings);
}

void LintCeiling(const Policy& policy, const Limits& ceiling,
                 std::vector<PolicyFinding>* findings) {
  for (const CeilingPair& pair : WithCeiling(policy.limits(), ceiling)) {
    if (!pair.above()) continue;
    findings->push_back({policy.PlaceOf(pair.field), pair.field,
                         absl::StrCat(pair.value == 0 ? "all" : absl::StrCat(pair.value),
                                      " is more than the operator's ceiling of ", pair.ceiling)});
  }
}

}  // namespace cellblock
