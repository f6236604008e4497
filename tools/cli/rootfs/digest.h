// SHA-256 of strings, files and trees. A tree's digest covers, in the order of paths, each entry's
// path, kind, permissions, owner, size and content or link target: not times, not the file system.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_DIGEST_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cellblock::cli {

// 64 hex digits each.
std::string Sha256(absl::string_view data);
absl::StatusOr<std::string> FileSha256(const std::string& path);

struct TreeFacts {
  std::string digest;
  int64_t entries = 0;
  int64_t bytes = 0;  // of regular files
};
// FAILED_PRECONDITION names an entry that is neither file, folder nor link.
absl::StatusOr<TreeFacts> ExamineTree(const std::string& root);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_DIGEST_H_
