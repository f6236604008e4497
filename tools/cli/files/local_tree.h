// A folder of this machine as the place that files are taken from and written back to. Names are
// bytes. Nothing outside the folder is ever read or written: every name is opened beneath it, and
// links are not followed out.
#ifndef CELLBLOCK_TOOLS_CLI_FILES_LOCAL_TREE_H_
#define CELLBLOCK_TOOLS_CLI_FILES_LOCAL_TREE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::cli {

// A relative path that stays beneath where it starts: no empty part, no "." or "..", no NUL.
bool IsSafeName(absl::string_view path);

// Folders that hold no data of the user's: version control, caches, installed packages.
bool IsLeftOut(absl::string_view folder_name);

struct LocalFile {
  std::string path;  // relative to the folder
  int64_t size = 0;
};
struct LocalListing {
  std::vector<LocalFile> files;
  std::vector<std::string> left_out;  // "name: why"
};

class LocalTree {
 public:
  static absl::StatusOr<LocalTree> Open(const std::string& folder);

  // Every regular file, and links to regular files that lie in the folder, sorted.
  absl::StatusOr<LocalListing> List() const;
  absl::StatusOr<UniqueFd> OpenFile(const std::string& path) const;
  // Makes folders on the way. `fill` writes the contents; its failure leaves everything as it was.
  absl::Status Replace(const std::string& path, uint32_t mode,
                       const std::function<absl::Status(int fd)>& fill) const;
  absl::Status Remove(const std::string& path) const;

 private:
  explicit LocalTree(UniqueFd folder) : folder_(std::move(folder)) {}
  absl::Status ListFolder(const std::string& path, int depth, LocalListing* listing) const;

  UniqueFd folder_;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_FILES_LOCAL_TREE_H_
