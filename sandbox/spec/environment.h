// What an environment variable and a time zone may be, whoever asks for them: a policy or a
// request.
#ifndef CELLBLOCK_SANDBOX_SPEC_ENVIRONMENT_H_
#define CELLBLOCK_SANDBOX_SPEC_ENVIRONMENT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace cellblock {

inline constexpr int kMaxEnvironment = 256;  // variables
inline constexpr size_t kMaxEnvironmentTotal =
    64 * 1024;  // bytes of names and values, with = and NUL

// What is wrong, "" if nothing. Names that decide how the interpreter and its libraries load, and
// what the worker is told by, are reserved.
std::string WrongVariableName(absl::string_view name);
std::string WrongVariableValue(absl::string_view value);
std::string WrongTimeZone(absl::string_view zone);  // "" is fine

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_ENVIRONMENT_H_
