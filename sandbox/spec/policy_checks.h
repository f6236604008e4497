// The checks between a parsed policy and a Policy: each finding says file, line and field.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_CHECKS_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_CHECKS_H_

#include <vector>

#include "sandbox/spec/field_places.h"
#include "sandbox/spec/finding.h"

namespace cellblock {
namespace v1 {
class Policy;
}

// Adds a finding for everything that makes a resolved policy none: what is missing, out of range or
// unknown. A field that is absent is reported at the message it is missed in.
void CheckPolicy(const v1::Policy& message, const FieldPlaces& places,
                 std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_CHECKS_H_
