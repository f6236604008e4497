#include "sandbox/spec/finding.h"

#include "absl/strings/str_cat.h"

namespace cellblock {

std::string SourcePlace::ToString() const {
  return line > 0 ? absl::StrCat(file, ":", line) : file;
}

std::string PolicyFinding::ToString() const {
  return absl::StrCat(place.ToString(), ": ", field, field.empty() ? "" : ": ", what);
}

absl::Status FirstOf(const std::vector<PolicyFinding>& findings) {
  if (findings.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(findings.front().ToString());
}

}  // namespace cellblock
