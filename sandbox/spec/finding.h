// Something wrong in a policy, and where: the file, the line and the field.
#ifndef CELLBLOCK_SANDBOX_SPEC_FINDING_H_
#define CELLBLOCK_SANDBOX_SPEC_FINDING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace cellblock {

struct SourcePlace {
  std::string file;
  int line = 0;  // from 1; 0 = not known

  std::string ToString() const;  // "FILE:LINE", or "FILE"
};

struct PolicyFinding {
  SourcePlace place;
  std::string field;  // "syscalls.rules[3].reason"; "" = the text as a whole
  std::string what;   // and the way out

  std::string ToString() const;  // "FILE:LINE: FIELD: WHAT"
};

// INVALID_ARGUMENT with the first, OK if there is none.
absl::Status FirstOf(const std::vector<PolicyFinding>& findings);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_FINDING_H_
