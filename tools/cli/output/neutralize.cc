#include "tools/cli/output/neutralize.h"

#include <cstdint>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace cellblock::cli {
namespace {

constexpr char kEscape = '\x1b';
// Longer than any real colour sequence.
constexpr size_t kLongestSequence = 64;

std::string Hex(unsigned char byte) {
  char text[8];
  snprintf(text, sizeof text, "\\x%02x", byte);
  return text;
}

std::string Unicode(uint32_t code) {
  char text[16];
  snprintf(text, sizeof text, "\\u%04x", code);
  return text;
}

struct Decoded {
  size_t length = 0;  // 0: incomplete
  uint32_t code = 0;
  bool valid = false;
};

// One UTF-8 character, strictly: no overlong forms, no surrogates.
Decoded Decode(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80             ? 1
                        : (first & 0xe0) == 0xc0 ? 2
                        : (first & 0xf0) == 0xe0 ? 3
                        : (first & 0xf8) == 0xf0 ? 4
                                                 : 0;
  if (length == 0) return {1, 0, false};
  uint32_t code = length == 1 ? first : first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size()) return {0, 0, false};
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {1, 0, false};
    code = code << 6 | (next & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid =
      code >= kLeast[length] && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return {valid ? length : 1, code, valid};
}

// Characters that make text look like other text, or that a terminal obeys.
bool IsDeceptive(uint32_t code) {
  return (code >= 0x80 && code <= 0x9f) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f || code == 0x61c ||
         code == 0x2028 || code == 0x2029 || code == 0xfeff;
}

}  // namespace

size_t Neutralizer::TakeToken(absl::string_view rest, std::string* out) {
  const char first = rest[0];
  if (first == kEscape) {
    size_t end = 1;
    if (end < rest.size() && rest[end] == '[') ++end;
    if (end == rest.size()) return 0;
    if (end == 2) {
      while (end < rest.size() && end < kLongestSequence &&
             ((rest[end] >= '0' && rest[end] <= '9') || rest[end] == ';' || rest[end] == ':')) {
        ++end;
      }
      if (end == rest.size() && end < kLongestSequence) return 0;
      if (end < rest.size() && rest[end] == 'm') {
        absl::StrAppend(out, rest.substr(0, end + 1));
        coloured_ = !(end == 2 || rest.substr(2, end - 2) == "0");
        return end + 1;
      }
    }
    absl::StrAppend(out, Hex(kEscape));
    at_line_start_ = false;
    return 1;
  }
  const Decoded decoded = Decode(rest);
  if (decoded.length == 0) return 0;
  if (!decoded.valid) {
    absl::StrAppend(out, Hex(static_cast<unsigned char>(first)));
  } else if (IsDeceptive(decoded.code)) {
    absl::StrAppend(out, Unicode(decoded.code));
  } else if ((decoded.code < 0x20 && first != '\n' && first != '\t' && first != '\r') ||
             decoded.code == 0x7f) {
    absl::StrAppend(out, Hex(static_cast<unsigned char>(first)));
  } else {
    absl::StrAppend(out, rest.substr(0, decoded.length));
  }
  at_line_start_ = first == '\n' || (first == '\r' && at_line_start_);
  return decoded.length;
}

std::string Neutralizer::Feed(absl::string_view bytes) {
  absl::StrAppend(&pending_, bytes);
  std::string out;
  absl::string_view rest = pending_;
  while (!rest.empty()) {
    const size_t taken = TakeToken(rest, &out);
    if (taken == 0) break;
    rest.remove_prefix(taken);
  }
  pending_ = std::string(rest);
  return out;
}

std::string Neutralizer::Finish() {
  std::string out;
  for (const char byte : pending_) {
    const auto value = static_cast<unsigned char>(byte);
    absl::StrAppend(&out, value >= 0x20 && value < 0x7f ? std::string(1, byte) : Hex(value));
  }
  pending_.clear();
  if (coloured_) absl::StrAppend(&out, "\x1b[0m");
  coloured_ = false;
  return out;
}

std::string PlainText(absl::string_view text) {
  // A colour sequence is cut short by taking the escape character away first.
  std::string out;
  Neutralizer neutralizer;
  for (const char byte : text) {
    absl::StrAppend(&out, byte == kEscape ? neutralizer.Feed("") + neutralizer.Finish() + "\\x1b"
                                          : neutralizer.Feed(absl::string_view(&byte, 1)));
  }
  return out + neutralizer.Finish();
}

std::string OneLine(absl::string_view text) {
  std::string out;
  for (const char byte : PlainText(text)) {
    switch (byte) {
      case '\n':
        absl::StrAppend(&out, "\\n");
        break;
      case '\r':
        absl::StrAppend(&out, "\\r");
        break;
      case '\t':
        absl::StrAppend(&out, "\\t");
        break;
      default:
        out.push_back(byte);
    }
  }
  return out;
}

}  // namespace cellblock::cli
