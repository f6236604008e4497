// Images: what a sandbox's root is made of. Resolved against the launcher's settings, never against
// a request alone.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_IMAGE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_IMAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/launcher/settings.h"

namespace cellblock::launcher {

struct Image {
  std::string name;
  std::string digest;  // see DigestOf...
  UniqueFd lower;      // the overlay's read-only lower folder
  UniqueFd usr;        // to be shown at /usr; invalid if `lower` has it
};

// The `host` image: builds the root with the generated parts in `folder` once. What it shows of the
// host is /usr without /usr/local, the usr-merge links and the named entries of /etc; nothing else.
absl::Status BuildHostRoot(const std::string& folder);

// Identifies what the host image shows: SHA-256 over the package database, which changes with any
// installed package, and the machine's release; 64 hex digits.
absl::StatusOr<std::string> HostImageDigest();

// "host", or "dir:/absolute/path" at or below one of the approved roots. A `dir:` image's digest
// identifies the folder (device, inode, change times of it and of its interpreter), not its bytes.
absl::StatusOr<Image> OpenImage(const std::string& name, const Settings& settings,
                                const std::string& host_folder, const std::string& host_digest);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_IMAGE_H_
