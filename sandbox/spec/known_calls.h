// System calls by name, and the newest that the policies know. Calls above it answer ENOSYS, so
// that a newer libc falls back to what the policy allows.
#ifndef CELLBLOCK_SANDBOX_SPEC_KNOWN_CALLS_H_
#define CELLBLOCK_SANDBOX_SPEC_KNOWN_CALLS_H_

#include <string>

namespace cellblock {

// x86-64 numbers up to Linux 5.17 (set_mempolicy_home_node).
inline constexpr int NewestKnownCall() {
  return 450;
}

// The number on this architecture; negative if the name is known but not here.
int CallNumber(const std::string& name);
bool IsKnownCall(const std::string& name);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_KNOWN_CALLS_H_
