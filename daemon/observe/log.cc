#include "daemon/observe/log.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace cellblock {
namespace {

constexpr int kLinesPerSecond = 50;
constexpr size_t kMaxValue = 512;

// A token bucket of one second.
class Gate {
 public:
  // False: drop this line. Else *dropped is how many were dropped before it.
  bool Pass(absl::Time now, int64_t* dropped) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (now - window_ >= absl::Seconds(1) || now < window_) {
      window_ = now;
      lines_ = 0;
    }
    if (++lines_ > kLinesPerSecond) {
      ++dropped_;
      return false;
    }
    *dropped = std::exchange(dropped_, 0);
    return true;
  }

 private:
  std::mutex mutex_;
  absl::Time window_ = absl::InfinitePast();
  int lines_ = 0;
  int64_t dropped_ = 0;
};

absl::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "?";
}

bool Plain(absl::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return absl::ascii_isgraph(c) && c != '"' && c != '\\' && c != '=';
  });
}

}  // namespace

std::string FormatLogLine(LogLevel level, absl::string_view event,
                          std::initializer_list<LogField> fields) {
  std::string line = absl::StrCat(NameOf(level), " ", event);
  for (const LogField& field : fields) {
    const absl::string_view value = absl::string_view(field.value()).substr(0, kMaxValue);
    if (Plain(value)) {
      absl::StrAppend(&line, " ", field.key(), "=", value);
    } else {
      absl::StrAppend(&line, " ", field.key(), "=\"",
                      absl::StrReplaceAll(absl::CHexEscape(value), {{"\\'", "'"}}), "\"");
    }
  }
  return line;
}

void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields) {
  static Gate* const gate = new Gate;
  const absl::Time now = absl::Now();
  int64_t dropped = 0;
  if (!gate->Pass(now, &dropped)) return;
  std::string line =
      absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", now, absl::UTCTimeZone()), " ",
                   FormatLogLine(level, event, fields));
  if (dropped > 0) absl::StrAppend(&line, " lines_dropped_before=", dropped);
  line += '\n';
  // One write: lines of several threads do not mix. Nobody to tell if it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace cellblock
