// OCI image layouts (a folder, or a tar file of one): which layers make the image for this machine.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_OCI_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_OCI_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace cellblock::cli {

struct OciImage {
  std::string digest;               // of its manifest, "sha256:..."
  std::vector<std::string> layers;  // paths of files, lowest first; their digests were checked
};

// `layout` is a folder with oci-layout and index.json. DATA_LOSS: a blob is missing or not what its
// digest says; FAILED_PRECONDITION: nothing for this architecture.
absl::StatusOr<OciImage> ReadOciLayout(const std::string& layout);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_OCI_H_
