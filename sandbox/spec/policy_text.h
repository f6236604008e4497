// Text to message: text format, or JSON of the same message. Knows nothing of what a policy means.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_TEXT_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_TEXT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sandbox/spec/field_places.h"
#include "sandbox/spec/finding.h"

namespace cellblock {
namespace v1 {
class Policy;
}

// The largest policy file, in bytes.
inline constexpr size_t kMaxPolicyBytes = 1 << 20;

struct ParsedPolicy {
  std::shared_ptr<v1::Policy> message;
  FieldPlaces places;
};

// JSON if the first character is "{", text format otherwise. Where the text is not a policy, a
// finding with line and column: unknown and repeated fields, wrong types, bytes that are not UTF-8,
// a size over kMaxPolicyBytes, nesting deeper than the schema's.
std::optional<ParsedPolicy> ParsePolicyText(absl::string_view text, const std::string& file,
                                            std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_TEXT_H_
