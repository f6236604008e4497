#include <CLI/CLI.hpp>

#include "tools/cli/command.h"

namespace cellblock::cli {

void AddServerFlag(CLI::App* app, Command* command) {
  app->add_option("--server", command->server,
                  "Daemon to use: unix:/path or host:port (plain text, for trusted networks)")
      ->envname("CELLBLOCK_SERVER")
      ->type_name("ADDRESS");
}

void BuildApp(CLI::App* app, Command* command) {
  app->description("Runs Python in a sandbox made of the kernel's own primitives.");
  app->name("cellblock");
  app->set_version_flag("--version", "cellblock " CELLBLOCK_VERSION);
  app->require_subcommand(1);
  app->get_formatter()->column_width(32);
  AddRun(app, command);
  AddRepl(app, command);
  AddSession(app, command);
  AddFiles(app, command);
  AddPolicy(app, command);
  AddRootfs(app, command);
  AddDoctor(app, command);
  AddCompletion(app, command);
  app->footer(
      "\nExamples:\n"
      "  cellblock run analysis.py                    a script in a sandbox of its own\n"
      "  cellblock run --workdir . report.ipynb       a notebook over the files of this folder\n"
      "  echo 'print(6*7)' | cellblock run -          code from standard input\n"
      "  cellblock doctor                             what this machine can enforce\n"
      "\n"
      "Exit status: 0 all went well, 1 the code failed, 2 wrong usage, 3 the machinery failed.\n"
      "`cellblock COMMAND --help` says more about a command.");
}

}  // namespace cellblock::cli
