// --workdir: a folder of this machine copied into a session's work folder before the first cell,
// and what the cells made or changed copied back afterwards.
#ifndef CELLBLOCK_TOOLS_CLI_FILES_WORK_DIR_H_
#define CELLBLOCK_TOOLS_CLI_FILES_WORK_DIR_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/files/local_tree.h"
#include "tools/client/sandbox_client.h"

namespace cellblock::cli {

// What tells that a file was written to since.
struct Stamp {
  int64_t size = 0;
  int64_t modified_ns = 0;
  bool operator==(const Stamp& other) const {
    return size == other.size && modified_ns == other.modified_ns;
  }
};
using Stamps = std::map<std::string, Stamp>;

struct Changes {
  std::vector<std::string> written;  // new or changed
  std::vector<std::string> deleted;
};
// Only files of `before` can be deleted ones.
Changes Compare(const Stamps& before, const Stamps& after);

enum class Deleted { kKeep, kRemove };

struct BroughtBack {
  std::vector<std::string> written;
  std::vector<std::string> deleted;   // inside; here too with Deleted::kRemove
  std::vector<std::string> left_out;  // "name: why"
};

class WorkDir {
 public:
  // INVALID_ARGUMENT or NOT_FOUND if the folder cannot be read.
  static absl::StatusOr<WorkDir> Open(const std::string& folder);

  // What is not staged: links that lead out, sockets and the like.
  const std::vector<std::string>& left_out() const { return listing_.left_out; }
  absl::Status Stage(SandboxClient* client, const std::string& session_id);
  absl::StatusOr<BroughtBack> BringBack(SandboxClient* client, const std::string& session_id,
                                        Deleted deleted);

 private:
  WorkDir(LocalTree tree, LocalListing listing)
      : tree_(std::move(tree)), listing_(std::move(listing)) {}

  LocalTree tree_;
  LocalListing listing_;
  Stamps staged_;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_FILES_WORK_DIR_H_
