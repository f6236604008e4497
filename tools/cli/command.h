// What all subcommands share: the global flags, and the chosen subcommand's action, which main()
// calls once parsing is over. A subcommand is one file with an Add function.
#ifndef CELLBLOCK_TOOLS_CLI_COMMAND_H_
#define CELLBLOCK_TOOLS_CLI_COMMAND_H_

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace cellblock::cli {

struct Command {
  std::string server;           // "" = an embedded daemon
  std::function<int()> action;  // gives the exit status
};

void AddRun(CLI::App* app, Command* command);
void AddRepl(CLI::App* app, Command* command);
void AddSession(CLI::App* app, Command* command);
void AddFiles(CLI::App* app, Command* command);
void AddPolicy(CLI::App* app, Command* command);
void AddDoctor(CLI::App* app, Command* command);
void AddRootfs(CLI::App* app, Command* command);
void AddCompletion(CLI::App* app, Command* command);

// The whole command line, for main(), the completions and the tests. `app` and `command` must
// outlive each other's use.
void BuildApp(CLI::App* app, Command* command);

// --server, which a few commands cannot do without.
void AddServerFlag(CLI::App* app, Command* command);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_COMMAND_H_
