// The checks between a parsed policy and a Policy: each error says file, line and field.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_CHECKS_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_CHECKS_H_

#include <google/protobuf/text_format.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cellblock {
namespace v1 {
class Policy;
}

// INVALID_ARGUMENT "FILE:LINE: FIELD: WHAT" for the first thing that is wrong. `places` is where
// the text parser found each field; a field that is absent is reported at the message it is missed
// in, and without a line if that is absent too.
absl::Status CheckPolicy(const v1::Policy& message,
                         const google::protobuf::TextFormat::ParseInfoTree& places,
                         absl::string_view file);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_CHECKS_H_
