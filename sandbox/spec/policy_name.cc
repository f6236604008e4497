#include "sandbox/spec/policy_name.h"

#include <cstddef>

#include "absl/strings/ascii.h"

namespace cellblock {
namespace {

constexpr size_t kMaxName = 64;

}  // namespace

bool IsPolicyName(absl::string_view name) {
  bool good = !name.empty() && name.size() <= kMaxName;
  for (const char c : name) {
    good = good && (absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-');
  }
  return good;
}

}  // namespace cellblock
