#include "tools/cli/input/completeness.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace cellblock::cli {
namespace {

struct Scan {
  int depth = 0;           // of brackets
  bool in_triple = false;  // quotes that go over lines
  bool continued = false;  // the last line ends with a backslash
  bool block = false;      // a line that opens a block, or a decorator
};

// Past a string that starts at `at`; marks one that is still open.
size_t SkipString(absl::string_view text, size_t at, Scan* scan) {
  const char quote = text[at];
  const char triple[] = {quote, quote, quote};
  const absl::string_view marks(triple, 3);
  const bool is_triple = text.substr(at, 3) == marks;
  at += is_triple ? 3 : 1;
  while (at < text.size()) {
    if (text[at] == '\\') {
      at += 2;
    } else if (is_triple && text.substr(at, 3) == marks) {
      return at + 3;
    } else if (!is_triple && (text[at] == quote || text[at] == '\n')) {
      return text[at] == quote ? at + 1 : at;
    } else {
      ++at;
    }
  }
  scan->in_triple = is_triple;
  return text.size();
}

// At the end of a logical line whose code ended with `last`.
void EndLine(absl::string_view line_start, char last, Scan* scan) {
  scan->continued = last == '\\';
  if (scan->depth > 0) return;
  if (last == ':' || absl::StartsWith(line_start, "@")) scan->block = true;
}

Scan ScanText(absl::string_view text) {
  Scan scan;
  char last = '\0';
  size_t line = 0, at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') {
      EndLine(text.substr(line), last, &scan);
      last = '\0';
      line = ++at;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '\'' || c == '"') {
      last = c;
      at = SkipString(text, at, &scan);
    } else {
      if (c == '(' || c == '[' || c == '{') ++scan.depth;
      if ((c == ')' || c == ']' || c == '}') && scan.depth > 0) --scan.depth;
      if (!absl::ascii_isspace(static_cast<unsigned char>(c))) last = c;
      ++at;
    }
  }
  return scan;
}

}  // namespace

bool NeedsMoreLines(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) return false;
  absl::string_view body = text;
  absl::ConsumeSuffix(&body, "\n");
  const size_t last_break = body.rfind('\n');
  const absl::string_view last_line =
      last_break == absl::string_view::npos ? body : body.substr(last_break + 1);
  const bool last_is_empty = absl::StripAsciiWhitespace(last_line).empty();
  if (absl::StartsWith(text, "%%")) return !last_is_empty;
  const Scan scan = ScanText(text);
  if (scan.in_triple || scan.depth > 0) return true;
  if (last_is_empty) return false;
  return scan.continued || scan.block;
}

}  // namespace cellblock::cli
