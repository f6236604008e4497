// `extends` and `replace`: several policy texts become one message, in which every field knows the
// file and line that it came from.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_LAYERS_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_LAYERS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/spec/finding.h"
#include "sandbox/spec/policy_text.h"

namespace cellblock {

// How many policies one may stand on, itself included.
inline constexpr size_t kMaxLayers = 8;

struct PolicySource {
  std::string text;
  std::string file;  // as errors name it
};

// The text of the policy of that name; the error says where it was looked for.
using FindPolicy = std::function<absl::StatusOr<PolicySource>(const std::string& name)>;

struct ResolvedPolicy {
  ParsedPolicy policy;             // without extends and replace
  std::vector<std::string> files;  // from the base to the policy itself
};

// Nothing after a finding: missing parents, cycles, more than kMaxLayers, single values set twice
// without `replace`, `replace` of what is not there.
std::optional<ResolvedPolicy> ResolveLayers(const PolicySource& source, const FindPolicy& find,
                                            std::vector<PolicyFinding>* findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_LAYERS_H_
