// Keeps foreign bytes from driving the user's terminal. Colours pass; everything else that a
// terminal would obey is shown as an escape.
#ifndef CELLBLOCK_TOOLS_CLI_OUTPUT_NEUTRALIZE_H_
#define CELLBLOCK_TOOLS_CLI_OUTPUT_NEUTRALIZE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace cellblock::cli {

// One stream of bytes; sequences and characters may be split over calls.
class Neutralizer {
 public:
  // Passes printable text, \n, \t, \r and complete colour sequences (ESC [ digits m). Other control
  // characters, C1 controls, text direction overrides and invalid UTF-8 become \xNN or \uNNNN.
  std::string Feed(absl::string_view bytes);
  // What was held back, and a reset of the colours if any is on.
  std::string Finish();
  bool at_line_start() const { return at_line_start_; }

 private:
  // How much of pending_ one token takes; 0 if more bytes are needed to tell.
  size_t TakeToken(absl::string_view rest, std::string* out);

  std::string pending_;
  bool coloured_ = false;
  bool at_line_start_ = true;
};

// For names and messages on one line: as above, without colours, and \n, \t, \r are escaped too.
std::string OneLine(absl::string_view text);
// For messages of several lines.
std::string PlainText(absl::string_view text);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_OUTPUT_NEUTRALIZE_H_
