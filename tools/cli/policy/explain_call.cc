// System calls: one by one, and all of them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/verdict_table.h"
#include "sandbox/spec/known_calls.h"
#include "tools/cli/policy/describe.h"
#include "tools/cli/policy/explanation.h"
#include "tools/cli/policy/verdicts.h"

namespace cellblock::cli {
namespace {

Verdict VerdictOfRule(const SyscallRule& rule) {
  switch (rule.action) {
    case SyscallRule::Action::kAllow:
      return Verdict::kAllow;
    case SyscallRule::Action::kDeny:
      return Verdict::kEperm;
    case SyscallRule::Action::kNotAvailable:
      return Verdict::kEnosys;
  }
  return Verdict::kEperm;
}

nlohmann::json RuleJson(const std::string& call, const SyscallRule& rule) {
  return {{"verdict", NameOf(VerdictOfRule(rule))},
          {"when", DescribeTests(call, rule)},
          {"reason", rule.reason},
          {"field", rule.field},
          {"group", rule.group},
          {"place", ShortPlace(rule.place)}};
}

bool Names(const SyscallRule& rule, const std::string& call) {
  return std::find(rule.calls.begin(), rule.calls.end(), call) != rule.calls.end();
}

// What decides whatever the arguments are: a rule without tests, if the answer is always the same.
Decision DecisionForAll(const Policy& policy, const SyscallCall& call) {
  for (const SyscallRule& rule : policy.syscall_rules()) {
    if (!Names(rule, call.name) || !rule.when.empty()) continue;
    const Decision decision = Decide(policy, call);
    if (VerdictOfRule(rule) == decision.verdict) return {decision.verdict, &rule, ""};
  }
  return Decide(policy, call);
}

nlohmann::json DecisionJson(const SyscallCall& call, const Decision& decision) {
  nlohmann::json json = {{"verdict", NameOf(decision.verdict)}, {"reason", decision.why}};
  if (decision.rule == nullptr) return json;
  json = RuleJson(call.name, *decision.rule);
  json["verdict"] = NameOf(decision.verdict);
  return json;
}

// All rules about a call, refusals first, as they are asked; then what is left.
nlohmann::json RulesJson(const CompiledPolicy& compiled, const SyscallCall& call) {
  nlohmann::json rules = nlohmann::json::array();
  for (const bool refusals : {true, false}) {
    for (const SyscallRule& rule : compiled.policy.syscall_rules()) {
      if ((rule.action != SyscallRule::Action::kAllow) != refusals) continue;
      if (Names(rule, call.name)) rules.push_back(RuleJson(call.name, rule));
    }
  }
  return rules;
}

}  // namespace

absl::StatusOr<nlohmann::json> ExplainCall(const CompiledPolicy& compiled,
                                           const std::vector<std::string>& words) {
  CELLBLOCK_ASSIGN_OR_RETURN(const SyscallCall call, ParseCall(words));
  nlohmann::json json = {{"subject", "call"},
                         {"call", call.name.empty() ? absl::StrCat(call.number) : call.name},
                         {"number", call.number}};
  const std::set<Verdict> verdicts = VerdictsOf(compiled.program, call.number);
  if (words.size() == 1 && verdicts.size() > 1) {
    json["verdict"] = "DEPENDS";
    json["rules"] = RulesJson(compiled, call);
    json["otherwise"] = call.number > uint32_t{kNewestKnownCall} ? NameOf(Verdict::kEnosys)
                                                                 : NameOf(Verdict::kEperm);
    return json;
  }
  CELLBLOCK_ASSIGN_OR_RETURN(const Verdict verdict, AskFilter(compiled.program, call));
  const Decision decision =
      words.size() == 1 ? DecisionForAll(compiled.policy, call) : Decide(compiled.policy, call);
  if (decision.verdict != verdict) {
    return absl::InternalError(absl::StrCat(words[0], ": the filter says ", NameOf(verdict),
                                            ", the rules say ", NameOf(decision.verdict)));
  }
  json["verdict"] = NameOf(verdict);
  json["decided_by"] = DecisionJson(call, decision);
  return json;
}

absl::StatusOr<nlohmann::json> ExplainPolicy(const CompiledPolicy& compiled) {
  const Policy& policy = compiled.policy;
  nlohmann::json json = {{"subject", "policy"},
                         {"name", policy.name()},
                         {"description", policy.description()},
                         {"digest", policy.digest()},
                         {"instructions", compiled.program.instructions().size()}};
  for (const std::string& file : policy.files()) {
    json["files"].push_back(ShortPlace({file, 0}));
  }
  for (const PolicyValue& value : ValuesOf(policy)) {
    const bool set = value.place.line != 0;
    json["values"].push_back({{"field", value.field},
                              {"value", value.text},
                              {"place", set ? ShortPlace(value.place) : ""}});
  }
  const auto add = [&json](const char* list, const std::string& what, const std::string& reason,
                           const SourcePlace& place) {
    json[list].push_back({{"what", what}, {"reason", reason}, {"place", ShortPlace(place)}});
  };
  for (const AllowedHost& host : policy.allowed_hosts()) {
    add("hosts", host.host, host.reason, host.place);
  }
  for (const ReadOnlyBind& bind : policy.read_only_binds()) {
    add("folders", bind.name, bind.reason, bind.place);
  }
  for (const EnvironmentVariable& variable : policy.environment()) {
    add("environment", variable.name + "=" + variable.value, "", variable.place);
  }
  for (const PrivateNetwork& network : policy.private_networks()) {
    add("dangers", "hosts may lie in " + network.range, network.reason, network.place);
  }
  for (const SyscallRule& rule : policy.syscall_rules()) {
    for (const std::string& call : rule.calls) {
      if (!rule.dangerous) continue;
      const std::string tests = DescribeTests(call, rule);
      add("dangers", tests.empty() ? call : call + " when " + tests, rule.reason, rule.place);
    }
  }
  for (const uint32_t number : KnownNumbers()) {
    CELLBLOCK_ASSIGN_OR_RETURN(nlohmann::json call, ExplainCall(compiled, {CallName(number)}));
    json["calls"].push_back(std::move(call));
  }
  return json;
}

}  // namespace cellblock::cli
