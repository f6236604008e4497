// One line from standard input for a cell that asks for it.
#ifndef CELLBLOCK_TOOLS_CLI_INPUT_ASK_H_
#define CELLBLOCK_TOOLS_CLI_INPUT_ASK_H_

#include <optional>
#include <string>

namespace cellblock::cli {

enum class Echo { kOn, kOff };

struct Answer {
  std::string text;
  bool end_of_file = false;
};

// Reads byte by byte, so that nothing meant for later is swallowed. Nothing if `wake_fd` becomes
// readable first.
std::optional<Answer> AskLine(int wake_fd, Echo echo);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_INPUT_ASK_H_
