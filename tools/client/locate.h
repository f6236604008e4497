// Finds the project's other programs from where this one lies.
#ifndef CELLBLOCK_TOOLS_CLIENT_LOCATE_H_
#define CELLBLOCK_TOOLS_CLIENT_LOCATE_H_

#include <string>

#include "absl/status/statusor.h"

namespace cellblock {

// In $CELLBLOCK_LIBEXEC if that is set, else beside this program, in ../sbin and in
// ../libexec/cellblock. NOT_FOUND names all the places.
absl::StatusOr<std::string> FindProgram(const std::string& name);

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_LOCATE_H_
