#include "sandbox/launcher/memory_watchdog.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"

namespace cellblock::launcher {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kKib = 1024;

std::vector<std::string> Processes(const SandboxRecord& record) {
  std::vector<std::string> pids;
  for (const auto& [incarnation, cell] : record.cells) {
    const absl::StatusOr<std::string> text = ReadFileAt(cell.dir_fd(), "cgroup.procs");
    if (!text.ok()) continue;
    for (absl::string_view pid : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
      pids.emplace_back(pid);
    }
  }
  return pids;
}

int64_t Resident(const std::string& pid) {
  const absl::StatusOr<std::string> text = ReadFile(absl::StrCat("/proc/", pid, "/statm"));
  if (!text.ok()) return 0;
  const std::vector<absl::string_view> fields = absl::StrSplit(*text, ' ');
  int64_t pages = 0;
  return fields.size() > 1 && absl::SimpleAtoi(fields[1], &pages) ? pages * kPage : 0;
}

int64_t ProportionalSetSize(const std::string& pid) {
  const absl::StatusOr<std::string> text = ReadFile(absl::StrCat("/proc/", pid, "/smaps_rollup"));
  if (!text.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (!absl::ConsumePrefix(&line, "Pss:")) continue;
    int64_t kib = 0;
    absl::ConsumeSuffix(&line, "kB");
    return absl::SimpleAtoi(line, &kib) ? kib * kKib : 0;
  }
  return 0;
}

}  // namespace

int64_t MemoryAboveLimit(const SandboxRecord& record) {
  const std::vector<std::string> pids = Processes(record);
  int64_t resident = 0;
  for (const std::string& pid : pids) resident += Resident(pid);
  if (resident <= record.limits.memory_bytes) return 0;
  int64_t exact = 0;
  for (const std::string& pid : pids) exact += ProportionalSetSize(pid);
  return exact > record.limits.memory_bytes ? exact : 0;
}

}  // namespace cellblock::launcher
