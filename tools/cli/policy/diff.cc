// cellblock policy diff: what one policy lets happen that another does not, by effect and not by
// text.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/verdict_table.h"
#include "sandbox/spec/known_calls.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/output/screen.h"
#include "tools/cli/policy/commands.h"
#include "tools/cli/policy/describe.h"
#include "tools/cli/policy/named_policy.h"
#include "tools/cli/policy/verdicts.h"

namespace cellblock::cli {
namespace {

constexpr size_t kMostPerCall = 20;  // lines of one call's arguments

struct Difference {
  std::string part;  // "syscalls", "limits.pids", "network.allow"
  std::string what;  // the call, host or name; "" for a single value
  std::string a, b;
  char sign;  // '+': B lets more happen, '-': less, '~': otherwise different
};

class Comparison {
 public:
  Comparison(const CompiledPolicy& a, const CompiledPolicy& b) : a_(a), b_(b) {}

  absl::Status Compare() {
    for (const uint32_t number : KnownNumbers()) {
      CELLBLOCK_RETURN_IF_ERROR(CompareCall(CallName(number), number));
    }
    CompareValues();
    CompareLists();
    return absl::OkStatus();
  }
  const std::vector<Difference>& differences() const { return differences_; }

 private:
  absl::Status CompareCall(const std::string& name, uint32_t number) {
    const std::set<Verdict> a = VerdictsOf(a_.program, number);
    const std::set<Verdict> b = VerdictsOf(b_.program, number);
    if (a.size() == 1 && b.size() == 1) {
      if (a != b) AddCall(name, *a.begin(), *b.begin());
      return absl::OkStatus();
    }
    std::vector<std::pair<SyscallCall, std::pair<Verdict, Verdict>>> found;
    CELLBLOCK_ASSIGN_OR_RETURN(const std::vector<SyscallCall> calls,
                               TellingCalls(name, a_.policy, b_.policy));
    for (const SyscallCall& call : calls) {
      CELLBLOCK_ASSIGN_OR_RETURN(const Verdict in_a, AskFilter(a_.program, call));
      CELLBLOCK_ASSIGN_OR_RETURN(const Verdict in_b, AskFilter(b_.program, call));
      if (in_a != in_b && !IsNoise(call, found)) found.push_back({call, {in_a, in_b}});
    }
    for (size_t i = 0; i < std::min(found.size(), kMostPerCall); ++i) {
      AddCall(DescribeCall(found[i].first, a_.policy, b_.policy), found[i].second.first,
              found[i].second.second);
    }
    if (found.size() > kMostPerCall) {
      differences_.push_back(
          {"syscalls", name, "", absl::StrCat("and ", found.size() - kMostPerCall, " more"), '~'});
    }
    return absl::OkStatus();
  }

  // The same difference with something in the upper halves says nothing new.
  template <typename Found>
  static bool IsNoise(const SyscallCall& call, const Found& found) {
    return std::any_of(found.begin(), found.end(), [&](const auto& other) {
      for (size_t i = 0; i < call.arguments.size(); ++i) {
        if (static_cast<uint32_t>(call.arguments[i]) !=
            static_cast<uint32_t>(other.first.arguments[i])) {
          return false;
        }
      }
      return true;
    });
  }

  void AddCall(const std::string& what, Verdict a, Verdict b) {
    const char sign = b == Verdict::kAllow ? '+' : a == Verdict::kAllow ? '-' : '~';
    differences_.push_back({"syscalls", what, NameOf(a), NameOf(b), sign});
  }

  void CompareValues() {
    const std::vector<PolicyValue> a = ValuesOf(a_.policy), b = ValuesOf(b_.policy);
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].text == b[i].text) continue;
      const char sign = b[i].amount > a[i].amount ? '+' : b[i].amount < a[i].amount ? '-' : '~';
      differences_.push_back({a[i].field, "", a[i].text, b[i].text, sign});
    }
  }

  template <typename List, typename NameOfEntry>
  void CompareNames(const char* part, const List& a, const List& b, NameOfEntry name) {
    const auto has = [&](const List& list, const std::string& wanted) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto& entry) { return name(entry) == wanted; });
    };
    for (const auto& entry : a) {
      if (!has(b, name(entry))) differences_.push_back({part, name(entry), "yes", "no", '-'});
    }
    for (const auto& entry : b) {
      if (!has(a, name(entry))) differences_.push_back({part, name(entry), "no", "yes", '+'});
    }
  }

  void CompareLists() {
    const Policy &a = a_.policy, &b = b_.policy;
    CompareNames("network.allow", a.allowed_hosts(), b.allowed_hosts(),
                 [](const AllowedHost& host) { return host.host; });
    CompareNames("dangerous.private_networks", a.private_networks(), b.private_networks(),
                 [](const PrivateNetwork& network) { return network.range; });
    CompareNames("filesystem.read_only", a.read_only_binds(), b.read_only_binds(),
                 [](const ReadOnlyBind& bind) { return bind.name; });
    CompareNames("environment", a.environment(), b.environment(),
                 [](const EnvironmentVariable& variable) {
                   return absl::StrCat(variable.name, "=", variable.value);
                 });
  }

  const CompiledPolicy &a_, &b_;
  std::vector<Difference> differences_;
};

std::string TextOf(const Difference& difference) {
  const std::string subject = difference.what.empty()
                                  ? difference.part
                                  : absl::StrCat(difference.part, " ", difference.what);
  const std::string change =
      difference.a.empty() ? difference.b : absl::StrCat(difference.a, " -> ", difference.b);
  return OneLine(absl::StrCat(std::string(1, difference.sign), " ", subject, ": ", change)) + "\n";
}

int Diff(const std::string& a, const std::string& b, bool json) {
  const absl::StatusOr<CompiledPolicy> first = OpenPolicy(a), second = OpenPolicy(b);
  if (!first.ok()) return FailUsage(first.status());
  if (!second.ok()) return FailUsage(second.status());
  Comparison comparison(*first, *second);
  const absl::Status status = comparison.Compare();
  if (!status.ok()) return Fail(status);
  Screen screen(DetectScreen());
  nlohmann::json all = nlohmann::json::array();
  for (const Difference& difference : comparison.differences()) {
    if (!json) screen.Print(TextOf(difference));
    all.push_back({{"part", difference.part},
                   {"what", difference.what},
                   {"a", difference.a},
                   {"b", difference.b},
                   {"change", std::string(1, difference.sign)}});
  }
  if (json) screen.Print(all.dump(2) + "\n");
  if (!screen.status().ok()) return Fail(screen.status());
  return comparison.differences().empty() ? kExitOk : kExitUserCode;
}

}  // namespace

void AddPolicyDiff(CLI::App* group, Command* command) {
  struct Flags {
    std::string a, b;
    bool json = false;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App* diff = group->add_subcommand("diff", "Compare two policies by what they let happen");
  diff->add_option("A", flags->a, "A policy file, or the name of an installed policy")->required();
  diff->add_option("B", flags->b, "The policy to compare it with")->required();
  diff->add_flag("--json", flags->json, "Print the differences as JSON");
  diff->footer(
      "\n+ B allows it and A does not, - A allows it and B does not, ~ another difference.\n"
      "Compared are the filters' answers to every call, over all argument values that a rule of\n"
      "either tests, and limits, hosts, folders and variables; not names, reasons or comments.\n"
      "Exit status: 0 the same, 1 they differ, 2 wrong usage, 3 the machinery failed.");
  diff->callback([flags, command] {
    command->action = [flags] { return Diff(flags->a, flags->b, flags->json); };
  });
}

}  // namespace cellblock::cli
