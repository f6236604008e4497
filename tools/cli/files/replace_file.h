// A file that appears under its name whole or not at all: written beside it, then renamed.
#ifndef CELLBLOCK_TOOLS_CLI_FILES_REPLACE_FILE_H_
#define CELLBLOCK_TOOLS_CLI_FILES_REPLACE_FILE_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::cli {

class FileReplacement {
 public:
  // `name` has no slash; `folder` must outlive this. A link of that name is replaced, not followed.
  static absl::StatusOr<FileReplacement> Begin(int folder, const std::string& name);
  FileReplacement(FileReplacement&&) = default;
  FileReplacement& operator=(FileReplacement&&) = delete;
  // Removes what was written unless Commit has succeeded.
  ~FileReplacement();

  int fd() const { return file_.get(); }
  // A regular file that is replaced keeps its mode; a new one gets `mode` under the umask.
  absl::Status Commit(mode_t mode);

 private:
  FileReplacement(int folder, std::string name, std::string temporary, UniqueFd file);

  int folder_;
  std::string name_, temporary_;
  UniqueFd file_;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_FILES_REPLACE_FILE_H_
