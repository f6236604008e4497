#include "sandbox/spec/environment.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

constexpr size_t kMaxName = 256;
constexpr size_t kMaxValue = 32 * 1024;
constexpr size_t kMaxTimeZone = 64;
constexpr const char* kReservedPrefixes[] = {"LD_", "PYTHON", "CELLBLOCK_"};

}  // namespace

std::string WrongVariableName(absl::string_view name) {
  const auto legal = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; };
  if (name.empty() || name.size() > kMaxName || absl::ascii_isdigit(name[0]) ||
      !std::all_of(name.begin(), name.end(), legal)) {
    return "a name must be 1 to 256 of [A-Za-z0-9_], not a digit first";
  }
  for (const char* prefix : kReservedPrefixes) {
    if (absl::StartsWith(name, prefix)) {
      return absl::StrCat("names that begin with ", prefix, " are reserved");
    }
  }
  return "";
}

std::string WrongVariableValue(absl::string_view value) {
  if (value.find('\0') != absl::string_view::npos) return "a value must not contain NUL";
  return value.size() > kMaxValue ? "a value is larger than 32 KiB" : "";
}

std::string WrongTimeZone(absl::string_view zone) {
  const auto legal = [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '+' || c == '-' || c == '/';
  };
  const bool good = zone.empty() || (zone.size() <= kMaxTimeZone && absl::ascii_isalnum(zone[0]) &&
                                     std::all_of(zone.begin(), zone.end(), legal));
  return good ? "" : "must be an IANA name such as Europe/Paris";
}

}  // namespace cellblock
