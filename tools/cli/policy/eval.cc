// cellblock policy eval: the compiled filter's answer to a call, or to a table of calls.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/verdict_table.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/output/screen.h"
#include "tools/cli/policy/commands.h"
#include "tools/cli/policy/named_policy.h"

namespace cellblock::cli {
namespace {

struct Flags {
  std::string policy;
  std::vector<std::string> call;
  std::string table;
};

int EvalCall(const CompiledPolicy& compiled, const std::vector<std::string>& words) {
  const absl::StatusOr<SyscallCall> call = ParseCall(words);
  if (!call.ok()) return FailUsage(call.status());
  const absl::StatusOr<Verdict> verdict = AskFilter(compiled.program, *call);
  if (!verdict.ok()) return Fail(verdict.status());
  Screen screen(DetectScreen());
  screen.Print(absl::StrCat(NameOf(*verdict), "\n"));
  if (!screen.status().ok()) return Fail(screen.status());
  return *verdict == Verdict::kAllow ? kExitOk : kExitUserCode;
}

int EvalTable(const CompiledPolicy& compiled, const std::string& path) {
  const auto table = LoadVerdictTable(path);
  if (!table.ok()) return FailUsage(table.status());
  const auto wrong = CheckVerdicts(compiled.program, *table);
  if (!wrong.ok()) return Fail(wrong.status());
  const std::vector<const SyscallRule*> uncovered = UncoveredRules(compiled.policy, *table);
  Screen screen(DetectScreen());
  for (const std::string& text : *wrong) screen.Print(OneLine(text) + "\n");
  for (const SyscallRule* rule : uncovered) {
    screen.Print(absl::StrCat(OneLine(rule->place.ToString()), ": ", rule->field,
                              ": decides no line of the table: add one\n"));
  }
  if (wrong->empty() && uncovered.empty()) {
    screen.Print(absl::StrCat(table->size(), " verdicts are as wanted, every rule has one\n"));
  }
  if (!screen.status().ok()) return Fail(screen.status());
  return wrong->empty() && uncovered.empty() ? kExitOk : kExitUserCode;
}

int Eval(const Flags& flags) {
  if (flags.call.empty() == flags.table.empty()) {
    return FailUsage(absl::InvalidArgumentError("give either a system call or --table"));
  }
  const absl::StatusOr<CompiledPolicy> compiled = OpenPolicy(flags.policy);
  if (!compiled.ok()) return FailUsage(compiled.status());
  return flags.table.empty() ? EvalCall(*compiled, flags.call) : EvalTable(*compiled, flags.table);
}

}  // namespace

void AddPolicyEval(CLI::App* group, Command* command) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* eval = group->add_subcommand("eval", "Ask a policy's compiled filter about a call");
  eval->add_option("POLICY", flags->policy, "A policy file, or the name of an installed policy")
      ->required();
  eval->add_option("CALL", flags->call,
                   "A system call and its arguments: numbers, or constants such as AF_INET");
  eval->add_option("--table", flags->table, "Check all lines CALL [ARGUMENT...] VERDICT of a file")
      ->type_name("FILE");
  eval->footer(
      "\nThe filter runs here, not in the kernel: nothing is called.\n"
      "Exit status: 0 allowed (or the table holds), 1 refused (or it does not), 2 wrong usage.");
  eval->callback([flags, command] { command->action = [flags] { return Eval(*flags); }; });
}

}  // namespace cellblock::cli
