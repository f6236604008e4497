// cellblock completion: shell completions, made from the command line's own description so that
// they cannot fall behind it.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/command.h"
#include "tools/cli/completions/completions.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/screen.h"

namespace cellblock::cli {
namespace {

int PrintCompletion(const std::string& shell) {
  CLI::App app;
  Command unused;
  BuildApp(&app, &unused);
  const CommandWords words = WordsOf(app);
  Screen screen(DetectScreen());
  screen.Print(shell == "bash"  ? BashCompletion(words)
               : shell == "zsh" ? ZshCompletion(words)
                                : FishCompletion(words));
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

}  // namespace

void AddCompletion(CLI::App* app, Command* command) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion = app->add_subcommand("completion", "Print completions for a shell");
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "\nE.g. `source <(cellblock completion bash)`, or write it to\n"
      "/usr/share/bash-completion/completions/cellblock, a folder of zsh's fpath as _cellblock,\n"
      "or ~/.config/fish/completions/cellblock.fish.");
  completion->callback(
      [shell, command] { command->action = [shell] { return PrintCompletion(*shell); }; });
}

}  // namespace cellblock::cli
