// What is done to an unpacked root before it becomes an image, so that it holds what a sandbox
// needs and nothing of when and where it was made. Below a root that nobody else changes meanwhile.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_TREE_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cellblock::cli {

// Removes what the shell patterns name, relative to the root. No link is followed.
absl::Status RemovePaths(const std::string& root, const std::vector<std::string>& patterns);
// Copies a folder of own files over the root, links as links.
absl::Status AddOverlay(const std::string& root, const std::string& overlay);
// Owner root, no set-id bits, devices, pipes or sockets; every time is `epoch` (seconds).
absl::Status NormalizeTree(const std::string& root, int64_t epoch);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_TREE_H_
