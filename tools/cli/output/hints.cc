#include "tools/cli/output/hints.h"

#include <filesystem>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

// Shell words that need no quotes stay bare.
std::string Quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_./-+@%") == std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char byte : word)
    absl::StrAppend(&quoted, byte == '\'' ? "'\\''" : std::string(1, byte));
  return OneLine(quoted + "'");
}

bool StaysInside(const fs::path& path) {
  return path.is_relative() && path.lexically_normal() == path &&
         !absl::StartsWith(path.native(), "..");
}

}  // namespace

std::string MissingPath(absl::string_view error_name, absl::string_view error_value) {
  if (error_name != "FileNotFoundError") return "";
  // Python's repr: single quotes, or double ones if the name holds a single one.
  const size_t open = error_value.find_first_of("'\"");
  if (open == absl::string_view::npos) return "";
  const size_t close = error_value.find(error_value[open], open + 1);
  if (close == absl::string_view::npos) return "";
  std::string path;
  if (!absl::CUnescape(error_value.substr(open + 1, close - open - 1), &path)) return "";
  return path.find('\0') == std::string::npos ? path : "";
}

std::string StagingHint(const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return "";
  const fs::path given(path);
  const std::string shown = OneLine(path);
  if (fs::is_directory(given, error)) {
    return absl::StrCat(shown, " is a folder on this machine, not in the sandbox; --workdir ",
                        Quoted(path), " brings it in as the cells' current folder");
  }
  const std::string name = given.filename();
  if (!StaysInside(given)) {
    return absl::StrCat(shown, " exists on this machine, not in the sandbox; --upload ",
                        Quoted(path), " brings it in, as ", Quoted(name));
  }
  return absl::StrCat(shown, " exists on this machine, not in the sandbox; --upload ",
                      path == name ? Quoted(path) : Quoted(path + ":" + path),
                      " brings it in, or --workdir . the whole folder");
}

}  // namespace cellblock::cli
