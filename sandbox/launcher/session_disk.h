// A session's root file system: a size- and inode-limited tmpfs that holds the overlay's upper
// layer, the work folder, HOME and /tmp (one quota for all), and the overlay of the image with it.
// Made as real root, handed out as detached mounts; no path of the host shows in the options.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_SESSION_DISK_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_SESSION_DISK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/launcher/image.h"
#include "sandbox/launcher/stage.h"
#include "sandbox/launcher/uid_slots.h"

namespace cellblock::launcher {

inline constexpr char kWorkDir[] = "/work";
inline constexpr char kHome[] = "/home/cell";
inline constexpr char kHostname[] = "cellblock";

// A folder of the host, shown at /data/NAME.
struct ShownFolder {
  std::string name;
  UniqueFd folder;
};

struct DiskSpec {
  int64_t bytes = 0;
  int64_t inodes = 0;
  bool executable = false;
  std::string worker_dir;  // shown at /opt/cellblock/worker
  std::string cache_dir;   // shown at /opt/cellblock/cache; "" = none
  std::vector<ShownFolder> shown;
};

struct TargetMount {
  UniqueFd mount;
  std::string target;  // relative to the root
};

struct SessionDisk {
  UniqueFd root;                    // the overlay, detached
  std::vector<TargetMount> mounts;  // in the order in which they go on it
};

absl::StatusOr<SessionDisk> MakeSessionDisk(const Image& image, const DiskSpec& spec,
                                            const Stage& stage, const UidPair& uids);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_SESSION_DISK_H_
