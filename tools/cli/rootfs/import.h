// Makes an image of the store from a container image that a team brings: an OCI image layout, as a
// folder or a tar file.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_IMPORT_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_IMPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/cli/rootfs/build.h"

namespace cellblock::cli {

// FAILED_PRECONDITION: the image has no Python 3.9 or newer, or is built on musl. One without
// IPython gets this host's, at the end of the worker's module path.
absl::StatusOr<std::unique_ptr<internal::Manifest>> ImportImage(const std::string& source,
                                                                const BuildOptions& options);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_IMPORT_H_
