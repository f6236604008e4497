// Where a command writes: its standard output and error, and whether each is a terminal.
#ifndef CELLBLOCK_TOOLS_CLI_OUTPUT_SCREEN_H_
#define CELLBLOCK_TOOLS_CLI_OUTPUT_SCREEN_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {

struct ScreenSettings {
  int out_fd = 1, err_fd = 2;
  bool out_is_terminal = false, err_is_terminal = false;
  bool colour = false;  // on standard error
};

// From the descriptors, NO_COLOR and TERM.
ScreenSettings DetectScreen();

// Foreign bytes on a terminal are neutralised; elsewhere they pass as they are. One thread.
class Screen {
 public:
  explicit Screen(const ScreenSettings& settings) : settings_(settings) {}

  const ScreenSettings& settings() const { return settings_; }
  // Output of a cell.
  void Out(absl::string_view bytes);
  void Err(absl::string_view bytes);
  // This command's own words, already safe to show.
  void Say(absl::string_view text);
  void Print(absl::string_view text);
  // A cell's question, on standard error if only that is a terminal; LineEnded when the user's
  // Enter has ended the line.
  void Prompt(absl::string_view text);
  void LineEnded();
  // A line that the next output erases. Nothing where it would break into a line of output.
  void ShowStatus(absl::string_view text);
  void EraseStatus();
  // Between cells: nothing half-shown is carried over, colours are off.
  void EndCell();
  // The first failure to write, e.g. a full disk; CANCELLED if the reader went away.
  const absl::Status& status() const { return status_; }

 private:
  void Write(int fd, absl::string_view bytes);

  const ScreenSettings settings_;
  Neutralizer out_, err_;
  bool status_shown_ = false;
  absl::Status status_;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_OUTPUT_SCREEN_H_
