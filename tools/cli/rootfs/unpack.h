// Unpacks layers of a container image, which anyone may have made: nothing outside the root is read
// or written whatever names and links they hold, and there are caps on what they may hold.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_UNPACK_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_UNPACK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace cellblock::cli {

struct UnpackCaps {
  int64_t bytes = int64_t{16} << 30;  // of all files of all layers
  int64_t entries = 2'000'000;
};

// Applies the layer, a tar file in any compression that libarchive knows, to `root`. Whiteouts
// (.wh.NAME, .wh..wh..opq) remove what lower layers had; devices, pipes and sockets are left out.
// The caps are lowered by what was used. DATA_LOSS: no sound archive; RESOURCE_EXHAUSTED: over a
// cap.
absl::Status UnpackLayer(const std::string& layer, const std::string& root, UnpackCaps* caps);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_UNPACK_H_
