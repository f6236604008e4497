// The new mount calls, as descriptors and Status. All mounts are detached or lie in the launcher's
// own mount namespace; none is ever visible on the host.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_MOUNTS_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_MOUNTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::launcher {

// Name and value; a flag has no value.
using MountOptions = std::vector<std::pair<std::string, std::string>>;

// A new file system instance. `attributes`: MOUNT_ATTR_*.
absl::StatusOr<UniqueFd> NewMount(const std::string& type, const MountOptions& options,
                                  uint64_t attributes);
// A detached copy of the mount at `path` (relative to `dir_fd`), without what is mounted below it.
absl::StatusOr<UniqueFd> CloneMount(int dir_fd, const std::string& path, uint64_t attributes);
absl::Status Attach(int mount_fd, const std::string& path);
absl::Status Detach(const std::string& path);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_MOUNTS_H_
