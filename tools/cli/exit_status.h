// What the command's exit status means; the same for every subcommand.
#ifndef CELLBLOCK_TOOLS_CLI_EXIT_STATUS_H_
#define CELLBLOCK_TOOLS_CLI_EXIT_STATUS_H_

namespace cellblock::cli {

enum ExitStatus {
  kExitOk = 0,
  kExitUserCode = 1,   // a cell failed; doctor: something required is missing
  kExitUsage = 2,      // wrong flags, or a file named on the command line cannot be read
  kExitMachinery = 3,  // the server, the sandbox or this command failed
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_EXIT_STATUS_H_
