#include "tools/cli/input/cells.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock::cli {
namespace {

// The server takes messages of 32 MiB; the rest of a request is small.
constexpr size_t kMaxSource = size_t{16} << 20;
constexpr size_t kMaxNotebook = size_t{256} << 20;
constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsMark(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "#")) return false;
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "%%")) return false;
  return line.empty() || absl::ascii_isspace(static_cast<unsigned char>(line[0]));
}

// "# %% [markdown]" begins text, not code.
bool IsTextMark(absl::string_view line) {
  return absl::StrContains(line, "[markdown]") || absl::StrContains(line, "[md]") ||
         absl::StrContains(line, "[raw]");
}

struct Part {
  size_t first_line = 0;
  bool text = false;
  std::vector<absl::string_view> lines;  // the mark included
};

bool IsEmptyCode(const std::vector<absl::string_view>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](absl::string_view line) {
    line = absl::StripAsciiWhitespace(line);
    return line.empty() || line[0] == '#';
  });
}

// Comment lines instead of what stands before, so that line numbers are the file's; not where a
// cell magic must stand on the first line.
std::string CodeOf(const Part& part) {
  for (size_t i = 1; i < part.lines.size(); ++i) {
    const absl::string_view line = absl::StripAsciiWhitespace(part.lines[i]);
    if (absl::StartsWith(line, "%%")) {
      return absl::StrJoin(part.lines.begin() + i, part.lines.end(), "\n");
    }
    if (!line.empty()) break;
  }
  std::string code;
  for (size_t i = 0; i < part.first_line; ++i) absl::StrAppend(&code, "#\n");
  return code + absl::StrJoin(part.lines, "\n");
}

// "source" is a string or a list of strings; anything else is no notebook.
bool ReadSource(const nlohmann::json& cell, std::string* source) {
  const auto found = cell.find("source");
  if (found == cell.end()) return false;
  if (found->is_string()) {
    *source = found->get<std::string>();
    return true;
  }
  if (!found->is_array()) return false;
  for (const nlohmann::json& line : *found) {
    if (!line.is_string()) return false;
    absl::StrAppend(source, line.get_ref<const std::string&>());
  }
  return true;
}

absl::Status NotANotebook(const std::string& name, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": not a Jupyter notebook: ", why));
}

absl::StatusOr<std::vector<Cell>> ReadScript(const std::string& path, const std::string& name) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxSource));
  return SplitScript(text, name);
}

}  // namespace

std::vector<Cell> SplitScript(absl::string_view script, const std::string& name) {
  absl::ConsumePrefix(&script, kByteOrderMark);
  std::vector<Part> parts(1);
  size_t line_number = 0;
  for (absl::string_view line : absl::StrSplit(script, '\n')) {
    if (IsMark(line)) parts.push_back({line_number, IsTextMark(line), {}});
    parts.back().lines.push_back(line);
    ++line_number;
  }
  if (parts.size() == 1) return {{std::string(script), name, false}};
  std::vector<Cell> cells;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].text || IsEmptyCode(parts[i].lines)) continue;
    cells.push_back({CodeOf(parts[i]), absl::StrCat(name, " cell ", cells.size() + 1), false});
  }
  return cells;
}

absl::StatusOr<std::vector<Cell>> ReadNotebook(absl::string_view json, const std::string& name) {
  absl::ConsumePrefix(&json, kByteOrderMark);
  const nlohmann::json notebook =
      nlohmann::json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (notebook.is_discarded()) return NotANotebook(name, "invalid JSON");
  if (!notebook.is_object()) return NotANotebook(name, "not a JSON object");
  const auto list = notebook.find("cells");
  if (list == notebook.end() || !list->is_array()) {
    return NotANotebook(name, "no list of cells (notebook format 4 is read)");
  }
  std::vector<Cell> cells;
  int number = 0;
  for (const nlohmann::json& cell : *list) {
    ++number;
    if (!cell.is_object()) return NotANotebook(name, absl::StrCat("bad cell ", number));
    const auto type = cell.find("cell_type");
    if (type == cell.end() || *type != "code") continue;
    Cell read;
    if (!ReadSource(cell, &read.code)) {
      return NotANotebook(name, absl::StrCat("cell ", number, " has no source"));
    }
    if (absl::StripAsciiWhitespace(read.code).empty()) continue;
    read.name = absl::StrCat(name, " cell ", number);
    read.from_notebook = true;
    cells.push_back(std::move(read));
  }
  return cells;
}

absl::StatusOr<std::vector<Cell>> LoadCells(const std::string& path) {
  if (path == "-") return ReadScript("/dev/stdin", "<stdin>");
  if (!absl::EndsWith(path, ".ipynb")) return ReadScript(path, path);
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxNotebook));
  return ReadNotebook(text, path);
}

}  // namespace cellblock::cli
