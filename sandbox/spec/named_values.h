// Names in argument tests, turned into numbers before anything else looks at them.
#ifndef CELLBLOCK_SANDBOX_SPEC_NAMED_VALUES_H_
#define CELLBLOCK_SANDBOX_SPEC_NAMED_VALUES_H_

#include <vector>

#include "sandbox/spec/field_places.h"
#include "sandbox/spec/finding.h"

namespace cellblock {
namespace v1 {
class Policy;
}

// Replaces names and mask_names of every test by value, values and mask with low_32_bits, and gives
// a test that has no symbol one. Findings: a name that is unknown, or is not one for this argument
// of every call of the rule; names beside numbers.
void ResolveNames(v1::Policy* message, const FieldPlaces& places,
                  std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_NAMED_VALUES_H_
