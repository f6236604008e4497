// The kernel's constants by name, for argument tests that a person writes and reads: AF_INET,
// FIONREAD, CLONE_NEWUSER, PR_SET_NAME. Each family says which arguments of which calls take it.
#ifndef CELLBLOCK_SANDBOX_SPEC_ARGUMENT_NAMES_H_
#define CELLBLOCK_SANDBOX_SPEC_ARGUMENT_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cellblock {

struct ArgumentConstant {
  const char* name;
  uint32_t value;
};

struct ArgumentFamily {
  const char* what;  // "a socket family"
  int argument;
  std::vector<const char*> calls;
  bool bits;  // values are or-ed
  std::vector<ArgumentConstant> constants;
};

absl::Span<const ArgumentFamily> ArgumentFamilies();
// nullptr if no name is known for this argument.
const ArgumentFamily* FamilyOf(absl::string_view call, int argument);
std::optional<uint32_t> FindConstant(const ArgumentFamily& family, absl::string_view name);
// "socket argument 0", for a name that stands in the wrong place; "" if it is in no family.
std::string WhereConstantBelongs(absl::string_view name);
// "AF_INET", "CLONE_VM|CLONE_FS|0x11", or the number in hexadecimal.
std::string NameOfValue(const ArgumentFamily* family, uint64_t value);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_ARGUMENT_NAMES_H_
