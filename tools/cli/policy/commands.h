// The subcommands of `cellblock policy`: one file each.
#ifndef CELLBLOCK_TOOLS_CLI_POLICY_COMMANDS_H_
#define CELLBLOCK_TOOLS_CLI_POLICY_COMMANDS_H_

namespace CLI {
class App;
}

namespace cellblock::cli {

struct Command;

void AddPolicyCheck(CLI::App* group, Command* command);
void AddPolicyExplain(CLI::App* group, Command* command);
void AddPolicyEval(CLI::App* group, Command* command);
void AddPolicyDiff(CLI::App* group, Command* command);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_POLICY_COMMANDS_H_
