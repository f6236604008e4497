#include "sandbox/runtime/counters.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"

namespace cellblock {
namespace {

// "key value" lines.
int64_t Keyed(int group, const char* file, absl::string_view key) {
  if (group < 0) return 0;
  const absl::StatusOr<std::string> text = ReadFileAt(group, file);
  if (!text.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    int64_t value = 0;
    if (absl::ConsumePrefix(&line, key) && absl::ConsumePrefix(&line, " ") &&
        absl::SimpleAtoi(line, &value)) {
      return value;
    }
  }
  return 0;
}

int64_t Single(int group, const char* file) {
  if (group < 0) return 0;
  const absl::StatusOr<std::string> text = ReadFileAt(group, file);
  int64_t value = 0;
  return text.ok() && absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &value) ? value : 0;
}

}  // namespace

Counters ReadGroupCounters(int leaf, int session) {
  Counters counters;
  // A group alone is not enough: without controllers it counts nothing but CPU time.
  counters.available = session >= 0 && faccessat(session, "memory.events", R_OK, 0) == 0;
  // Hierarchical: what happens in a leaf shows in the session's group.
  counters.oom_kills = Keyed(session, "memory.events", "oom_kill");
  counters.memory_max_hits = Keyed(session, "memory.events", "max");
  // Counted where the fork failed before Linux 6.11, where the limit is since.
  counters.pids_max_hits = Keyed(session, "pids.events", "max") + Keyed(leaf, "pids.events", "max");
  counters.cpu_usec = Keyed(leaf, "cpu.stat", "usage_usec");
  counters.memory_peak = Single(leaf, "memory.peak");
  return counters;
}

int64_t ReadMemoryInUse(int leaf) {
  return Single(leaf, "memory.current");
}

}  // namespace cellblock
