// Runs the programs that images are made with (mmdebstrap, mkfs.erofs, ...), found in PATH. They
// end with this process.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_TOOL_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_TOOL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cellblock::cli {

struct ToolCall {
  std::vector<std::string> argv;
  std::string input;                     // its standard input
  std::string log;                       // where its standard error goes; "" = this command's own
  std::string package;                   // the Debian package that has it, for the error
  std::vector<std::string> environment;  // "NAME=value", added to this process's own
};

// Gives its standard output. FAILED_PRECONDITION: it is not installed, or the end of its log if it
// failed.
absl::StatusOr<std::string> RunTool(const ToolCall& call);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_TOOL_H_
