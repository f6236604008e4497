// cellblock policy: what a policy says, without running anything.
#include <CLI/CLI.hpp>

#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/screen.h"
#include "tools/cli/policy/commands.h"
#include "tools/cli/policy/named_policy.h"

namespace cellblock::cli {

namespace {

void AddPolicyWhere(CLI::App* group, Command* command) {
  CLI::App* where = group->add_subcommand("where", "Print the folder of the installed policies");
  where->callback([command] {
    command->action = [] {
      Screen screen(DetectScreen());
      screen.Print(InstalledPolicies() + "\n");
      return screen.status().ok() ? kExitOk : Fail(screen.status());
    };
  });
}

}  // namespace

void AddPolicy(CLI::App* app, Command* command) {
  CLI::App* policy = app->add_subcommand("policy", "Check, explain and compare policies");
  policy->require_subcommand(1);
  AddPolicyCheck(policy, command);
  AddPolicyExplain(policy, command);
  AddPolicyEval(policy, command);
  AddPolicyDiff(policy, command);
  AddPolicyWhere(policy, command);
  policy->footer(
      "\nA POLICY is a file (its name has a / or an ending) or the name of an installed policy.\n"
      "Installed policies lie in CELLBLOCK_POLICY_DIR, else in share/cellblock/policies beside "
      "the\n"
      "folder of this program.");
}

}  // namespace cellblock::cli
