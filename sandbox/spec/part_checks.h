// The checks of the parts that are not limits or system calls: hosts, binds, environment, zone.
#ifndef CELLBLOCK_SANDBOX_SPEC_PART_CHECKS_H_
#define CELLBLOCK_SANDBOX_SPEC_PART_CHECKS_H_

#include "sandbox/spec/check_context.h"

namespace cellblock {
namespace v1 {
class Policy;
}

// Allowed hosts, and the private networks that they may lie in.
void CheckNetwork(const v1::Policy& message, CheckContext& context);
// Read-only binds, environment and time zone.
void CheckSurroundings(const v1::Policy& message, CheckContext& context);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_PART_CHECKS_H_
