// One line a fact on standard error: "time level event key=value ...". Never user code, output or
// environment. A burst beyond 50 lines a second is counted instead of written. Thread-safe.
#ifndef CELLBLOCK_DAEMON_OBSERVE_LOG_H_
#define CELLBLOCK_DAEMON_OBSERVE_LOG_H_

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cellblock {

enum class LogLevel { kInfo, kWarning, kError };

class LogField {
 public:
  LogField(absl::string_view key, absl::string_view value) : key_(key), value_(value) {}
  LogField(absl::string_view key, const char* value) : key_(key), value_(value) {}
  LogField(absl::string_view key, int64_t value) : key_(key), value_(absl::StrCat(value)) {}
  absl::string_view key() const { return key_; }
  const std::string& value() const { return value_; }

 private:
  absl::string_view key_;
  std::string value_;
};

void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields = {});

// The line without its time; values with blanks, quotes or control characters are quoted.
std::string FormatLogLine(LogLevel level, absl::string_view event,
                          std::initializer_list<LogField> fields);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_OBSERVE_LOG_H_
