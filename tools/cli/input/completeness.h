// Whether what was typed so far is a whole cell, or more lines must follow. A guess from brackets,
// quotes and indentation; it never refuses a program, since an empty line ends the waiting.
#ifndef CELLBLOCK_TOOLS_CLI_INPUT_COMPLETENESS_H_
#define CELLBLOCK_TOOLS_CLI_INPUT_COMPLETENESS_H_

#include "absl/strings/string_view.h"

namespace cellblock::cli {

// `text` ends with a newline. True inside brackets, triple quotes and after a backslash; and in a
// block ("if x:", decorators, cell magics) until an empty line.
bool NeedsMoreLines(absl::string_view text);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_INPUT_COMPLETENESS_H_
