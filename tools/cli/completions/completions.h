// Completion scripts of the three shells from one list of words.
#ifndef CELLBLOCK_TOOLS_CLI_COMPLETIONS_COMPLETIONS_H_
#define CELLBLOCK_TOOLS_CLI_COMPLETIONS_COMPLETIONS_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cellblock::cli {

struct Word {
  std::string text, help;
  bool takes_value = false;  // of flags
};
// One command or group: "", "run", "session", "session create", ...
struct CommandEntry {
  std::string path;
  std::vector<Word> commands, flags;
};
using CommandWords = std::vector<CommandEntry>;

CommandWords WordsOf(const CLI::App& app);

std::string BashCompletion(const CommandWords& words);
std::string ZshCompletion(const CommandWords& words);
std::string FishCompletion(const CommandWords& words);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_COMPLETIONS_COMPLETIONS_H_
