// System calls by name, and the newest that policies know without naming it. Unnamed calls above
// that one answer ENOSYS, so that a newer libc falls back to what the policy allows.
#ifndef CELLBLOCK_SANDBOX_SPEC_KNOWN_CALLS_H_
#define CELLBLOCK_SANDBOX_SPEC_KNOWN_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cellblock {

// set_mempolicy_home_node, Linux 5.17: the newest that every packaged libseccomp has a name for.
inline constexpr int kNewestKnownCall = 450;

// x86-64 calls above kNewestKnownCall: a policy may name them whatever the libseccomp. The kernel
// never gives a number a second meaning, so the table is only ever appended to.
struct NewerCall {
  const char* name;
  int number;
};
absl::Span<const NewerCall> NewerCalls();

// The number on this architecture; negative if the name is known but the call is not here.
int CallNumber(absl::string_view name);
bool IsKnownCall(absl::string_view name);
// "" if the number has no name on this architecture.
std::string CallName(uint32_t number);
// The numbers that have a name on this architecture, in order.
std::vector<uint32_t> KnownNumbers();

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_KNOWN_CALLS_H_
