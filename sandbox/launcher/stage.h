// The launcher's own mount namespace and its workshop there: a small tmpfs with the folders that
// sandboxes are put together in. Nothing of it is visible on the host, and it goes with the
// launcher.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_STAGE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_STAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::launcher {

struct Stage {
  std::string folder;
  std::string root;    // a child attaches its new root here, in its own namespace
  std::string build;   // disks and overlays are attached here for a moment
  std::string host;    // the host image's root
  std::string cgroup;  // for a private cgroup2 mount
  std::string dev;     // the /dev of every sandbox, shown read-only
  std::string empty;   // an empty folder
  std::string worker;  // a copy of the worker package: no path of the host shows in a sandbox
  std::string images;  // the store's image files are mounted here
  std::string caches;  // copies of the images' caches, by digest
};

// Unshares the mount namespace, makes it private and builds the workshop on `folder`.
absl::StatusOr<Stage> MakeStage(const std::string& folder);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_STAGE_H_
