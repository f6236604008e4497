// cellblock policy: what a policy says, without running anything.
#include <CLI/CLI.hpp>

#include "tools/cli/command.h"
#include "tools/cli/policy/commands.h"

namespace cellblock::cli {

void AddPolicy(CLI::App* app, Command* command) {
  CLI::App* policy = app->add_subcommand("policy", "Check, explain and compare policies");
  policy->require_subcommand(1);
  AddPolicyCheck(policy, command);
  AddPolicyExplain(policy, command);
  AddPolicyEval(policy, command);
  AddPolicyDiff(policy, command);
  policy->footer(
      "\nA POLICY is a file (its name has a / or an ending) or the name of an installed policy.\n"
      "Installed policies lie in CELLBLOCK_POLICY_DIR, else in share/cellblock/policies beside "
      "the\n"
      "folder of this program.");
}

}  // namespace cellblock::cli
