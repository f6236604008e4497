// Lines from the user: edited and with history on a terminal, plain elsewhere.
#ifndef CELLBLOCK_TOOLS_CLI_INPUT_LINE_READER_H_
#define CELLBLOCK_TOOLS_CLI_INPUT_LINE_READER_H_

#include <memory>
#include <string>

namespace cellblock::cli {

enum class LineEnd { kLine, kInterrupted, kEndOfFile };

class LineReader {
 public:
  // Reading stops with kInterrupted while `wake_fd` is readable.
  explicit LineReader(int wake_fd);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  bool interactive() const { return editor_ != nullptr; }
  // `line` ends with a newline. The prompt is shown on a terminal only.
  LineEnd Read(const std::string& prompt, std::string* line);
  void AddHistory(const std::string& text);

 private:
  struct Editor;

  const int wake_fd_;
  std::unique_ptr<Editor> editor_;  // null: not a terminal
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_INPUT_LINE_READER_H_
