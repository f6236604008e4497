// How far a policy may go without a word in `dangerous`, and where no policy may go at all.
#ifndef CELLBLOCK_SANDBOX_SPEC_RECOMMENDED_CALLS_H_
#define CELLBLOCK_SANDBOX_SPEC_RECOMMENDED_CALLS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

// Calls that the launcher refuses to let through, whatever their arguments: mounts, namespaces,
// other processes, wide kernel surfaces, the machine itself.
absl::Span<const char* const> NeverAllowedCalls();
bool IsNeverAllowed(absl::string_view call);

// What is dangerous about allowing `call` under these tests; "" if nothing is. A call of a
// recommended group is fine; ioctl, prctl and the like are when a test names values that are.
std::string DangerOf(absl::string_view call, const std::vector<ArgumentTest>& tests);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_RECOMMENDED_CALLS_H_
