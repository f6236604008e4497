// Whether the uids that sandboxes take are nobody else's.
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/io.h"
#include "tools/cli/doctor/probe.h"

namespace cellblock::cli {
namespace {

// The launcher's default range.
constexpr uint64_t kFirst = 1879048192;
constexpr uint64_t kCount = 65536;

// The first line of a colon-separated file whose uids reach into the range; "" if none does.
std::string Overlap(const std::string& path, size_t start_field, size_t count_field) {
  const auto text = ReadFile(path);
  if (!text.ok()) return "";
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ':');
    uint64_t start = 0, count = 1;
    if (fields.size() <= std::max(start_field, count_field)) continue;
    if (!absl::SimpleAtoi(fields[start_field], &start)) continue;
    if (count_field != 0 && !absl::SimpleAtoi(fields[count_field], &count)) continue;
    if (start < kFirst + kCount && start + count > kFirst) {
      return absl::StrCat(path, ": ", line.substr(0, line.find(':')));
    }
  }
  return "";
}

}  // namespace

void ProbeUids(Findings* findings) {
  std::string user = Overlap("/etc/passwd", 2, 0);
  if (user.empty()) user = Overlap("/etc/subuid", 1, 2);
  const std::string range = absl::StrCat(kFirst, " to ", kFirst + kCount - 1);
  if (user.empty()) {
    findings->push_back({"uid range", Level::kOk, absl::StrCat(range, " is free"), ""});
    return;
  }
  findings->push_back({"uid range", Level::kWarning, absl::StrCat(user, " has uids of ", range),
                       "set launcher.uid_base in the daemon's configuration to a free range"});
}

}  // namespace cellblock::cli
