// What Debian's tools know: where this host gets its packages, and what a root holds.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_DEBIAN_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_DEBIAN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cellblock::internal {
class Manifest;
class Recipe;
}  // namespace cellblock::internal

namespace cellblock::cli {

// "deb URI SUITE COMPONENTS" of this host's own apt sources for that suite of Debian, with its
// updates and security fixes. FAILED_PRECONDITION: it has none, or apt-get update was never run.
absl::StatusOr<std::vector<std::string>> PackageSources(const std::string& suite);

// Unpacks and configures the recipe's packages in the new folder `root`. `log` "" = to standard
// error.
absl::Status InstallPackages(const internal::Recipe& recipe,
                             const std::vector<std::string>& sources, const std::string& root,
                             const std::string& log);

// Fills in packages, architecture, Python's version and its packages.
absl::Status DescribeContent(const std::string& root, internal::Manifest* manifest);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_DEBIAN_H_
