#include "tools/cli/output/screen.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"

namespace cellblock::cli {
namespace {

constexpr absl::string_view kEraseLine = "\r\x1b[K";

}  // namespace

ScreenSettings DetectScreen() {
  ScreenSettings settings;
  settings.out_is_terminal = isatty(settings.out_fd) == 1;
  settings.err_is_terminal = isatty(settings.err_fd) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || absl::string_view(term) == "dumb";
  settings.colour =
      settings.err_is_terminal && !dumb && (no_colour == nullptr || *no_colour == '\0');
  return settings;
}

void Screen::Write(int fd, absl::string_view bytes) {
  if (bytes.empty() || !status_.ok()) return;
  status_ = WriteAll(fd, bytes);
  if (absl::StrContains(status_.message(), strerror(EPIPE))) {
    status_ = absl::CancelledError("the reader of the output went away");
  }
}

void Screen::Out(absl::string_view bytes) {
  EraseStatus();
  Write(settings_.out_fd, settings_.out_is_terminal ? out_.Feed(bytes) : std::string(bytes));
}

void Screen::Err(absl::string_view bytes) {
  EraseStatus();
  Write(settings_.err_fd, settings_.err_is_terminal ? err_.Feed(bytes) : std::string(bytes));
}

void Screen::Say(absl::string_view text) {
  EraseStatus();
  if (settings_.err_is_terminal) {
    const bool broken_line =
        !err_.at_line_start() || (settings_.out_is_terminal && !out_.at_line_start());
    Write(settings_.err_fd, absl::StrCat(broken_line ? "\n" : "", err_.Feed(text)));
    if (broken_line) out_.Feed("\n");
  } else {
    Write(settings_.err_fd, text);
  }
}

void Screen::Print(absl::string_view text) {
  EraseStatus();
  Write(settings_.out_fd, text);
}

void Screen::Prompt(absl::string_view text) {
  if (!settings_.out_is_terminal && settings_.err_is_terminal) {
    Err(text);
  } else {
    Out(text);
  }
}

void Screen::LineEnded() {
  out_.Feed("\n");
  err_.Feed("\n");
}

void Screen::ShowStatus(absl::string_view text) {
  if (!settings_.err_is_terminal || !err_.at_line_start()) return;
  if (settings_.out_is_terminal && !out_.at_line_start()) return;
  Write(settings_.err_fd, absl::StrCat(kEraseLine, text));
  status_shown_ = true;
}

void Screen::EraseStatus() {
  if (!status_shown_) return;
  Write(settings_.err_fd, kEraseLine);
  status_shown_ = false;
}

void Screen::EndCell() {
  EraseStatus();
  Write(settings_.out_fd, settings_.out_is_terminal ? out_.Finish() : std::string());
  Write(settings_.err_fd, settings_.err_is_terminal ? err_.Finish() : std::string());
}

}  // namespace cellblock::cli
