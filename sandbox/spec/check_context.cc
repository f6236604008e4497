#include "sandbox/spec/check_context.h"

#include "absl/strings/ascii.h"

namespace cellblock {

void CheckContext::Error(const std::string& field, absl::string_view what) {
  findings_->push_back({places_.Find(field), field, std::string(what)});
}

void CheckContext::CheckText(const std::string& field, absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isprint(c)) return Error(field, "must be printable ASCII on one line");
  }
}

void CheckContext::CheckReason(const std::string& field, absl::string_view reason) {
  if (absl::StripAsciiWhitespace(reason).empty()) {
    return Error(field, "is empty: say why this is there");
  }
  CheckText(field, reason);
}

}  // namespace cellblock
