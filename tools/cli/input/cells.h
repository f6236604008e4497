// Turns what a user names on the command line into cells: a plain script is one, a script with
// "# %%" marks and a notebook are several. No terminal, no network.
#ifndef CELLBLOCK_TOOLS_CLI_INPUT_CELLS_H_
#define CELLBLOCK_TOOLS_CLI_INPUT_CELLS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cellblock::cli {

struct Cell {
  std::string code;
  std::string name;            // for tracebacks and messages
  bool from_notebook = false;  // a notebook shows the value of a cell's last expression
};

// Without marks the script is one cell. Parts that hold only blanks and comments, and text parts
// ("# %% [markdown]"), are left out. Cells are padded so that line numbers are those of the file.
std::vector<Cell> SplitScript(absl::string_view script, const std::string& name);

// Code cells only, empty ones left out. INVALID_ARGUMENT if it is not a notebook.
absl::StatusOr<std::vector<Cell>> ReadNotebook(absl::string_view json, const std::string& name);

// `path` "-" is standard input.
absl::StatusOr<std::vector<Cell>> LoadCells(const std::string& path);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_INPUT_CELLS_H_
