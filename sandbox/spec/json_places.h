// Where the keys of a JSON text stand. protobuf's own JSON parser gives no lines, and lets a key
// come twice.
#ifndef CELLBLOCK_SANDBOX_SPEC_JSON_PLACES_H_
#define CELLBLOCK_SANDBOX_SPEC_JSON_PLACES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sandbox/spec/field_places.h"
#include "sandbox/spec/finding.h"

namespace cellblock {

// "memoryBytes" is memory_bytes.
std::string SnakeCase(absl::string_view key);

// Adds the place of every key, camelCase turned into the schema's snake_case. Findings: malformed
// JSON, a key that comes twice in one object, nesting deeper than any policy's. Returns whether
// there was none.
bool FindJsonPlaces(absl::string_view text, FieldPlaces* places,
                    std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_JSON_PLACES_H_
