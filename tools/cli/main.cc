// cellblock: runs Python in a sandbox from the command line. See command.h for how it is put
// together and exit_status.h for what its exit status means.
#include <signal.h>

#include <CLI/CLI.hpp>

#include "tools/cli/command.h"
#include "tools/cli/exit_status.h"

int main(int argc, char** argv) {
  // A reader that went away is an error of write, told and cleaned up after like any other.
  signal(SIGPIPE, SIG_IGN);
  CLI::App app;
  cellblock::cli::Command command;
  cellblock::cli::BuildApp(&app, &command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cellblock::cli::kExitOk : cellblock::cli::kExitUsage;
  }
  return command.action();
}
