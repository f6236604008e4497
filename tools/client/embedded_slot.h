// A folder of the invoking user's that one embedded daemon uses at a time: its state with the image
// caches, which are worth keeping, its socket and its log. Slots are numbered; the first free one
// is taken and held by a lock that ends with this process.
#ifndef CELLBLOCK_TOOLS_CLIENT_EMBEDDED_SLOT_H_
#define CELLBLOCK_TOOLS_CLIENT_EMBEDDED_SLOT_H_

#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

struct EmbeddedSlot {
  UniqueFd lock;
  std::string folder;

  std::string state_dir() const { return folder + "/state"; }
  std::string socket_dir() const { return folder + "/socket"; }
  std::string socket() const { return socket_dir() + "/s"; }
  std::string log() const { return folder + "/log"; }
  std::string config() const { return folder + "/config"; }
};

// $CELLBLOCK_CACHE_DIR; else /var/cache/cellblock for root, whose home the daemon, which has a uid
// of its own, could not enter; else cellblock in $XDG_CACHE_HOME or ~/.cache.
std::string DefaultCacheDir();

// The socket folder is fresh, empty and private.
absl::StatusOr<EmbeddedSlot> TakeEmbeddedSlot(const std::string& cache_dir);

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_EMBEDDED_SLOT_H_
