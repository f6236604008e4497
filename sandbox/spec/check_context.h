// What the checks of one policy share: where its fields stand and where findings go. Private to
// this folder.
#ifndef CELLBLOCK_SANDBOX_SPEC_CHECK_CONTEXT_H_
#define CELLBLOCK_SANDBOX_SPEC_CHECK_CONTEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sandbox/spec/field_places.h"
#include "sandbox/spec/finding.h"

namespace cellblock {

class CheckContext {
 public:
  CheckContext(const FieldPlaces& places, std::vector<PolicyFinding>* findings)
      : places_(places), findings_(findings) {}

  void Error(const std::string& field, absl::string_view what);
  // Words for people end up in terminals, logs and replies: printable ASCII keeps all of them safe.
  void CheckText(const std::string& field, absl::string_view text);
  // The same, and there must be some.
  void CheckReason(const std::string& field, absl::string_view reason);

  SourcePlace PlaceOf(const std::string& field) const { return places_.Find(field); }

 private:
  const FieldPlaces& places_;
  std::vector<PolicyFinding>* findings_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_CHECK_CONTEXT_H_
