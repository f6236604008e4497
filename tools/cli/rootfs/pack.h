// Turns a finished root into the image's file, the same bytes for the same tree.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_PACK_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_PACK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cellblock::internal {
class Manifest;
}

namespace cellblock::cli {

enum class ImageFormat { kDir, kErofs, kSquashfs };

absl::StatusOr<ImageFormat> ParseFormat(const std::string& word);

// From the tree `root` makes FOLDER/root.erofs, FOLDER/root.squashfs or FOLDER/root, and fills in
// the manifest's facts of it. `manifest` has the digest and the epoch.
absl::Status PackImage(const std::string& root, const std::string& folder, ImageFormat format,
                       internal::Manifest* manifest);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_PACK_H_
