// What to do about a failure whose cause lies outside the sandbox.
#ifndef CELLBLOCK_TOOLS_CLI_OUTPUT_HINTS_H_
#define CELLBLOCK_TOOLS_CLI_OUTPUT_HINTS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace cellblock::cli {

// The path that "[Errno 2] No such file or directory: 'data.csv'" names, "" if none can be told.
std::string MissingPath(absl::string_view error_name, absl::string_view error_value);

// For a path that is missing inside the sandbox: how to bring it in if it exists on this machine,
// else "".
std::string StagingHint(const std::string& path);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_OUTPUT_HINTS_H_
