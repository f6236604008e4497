// Names that people give to policies, and operators to folders that policies show.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_NAME_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_NAME_H_

#include "absl/strings/string_view.h"

namespace cellblock {

inline constexpr char kPolicyNameRule[] = "must be 1 to 64 of a-z, 0-9 and -";
bool IsPolicyName(absl::string_view name);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_NAME_H_
