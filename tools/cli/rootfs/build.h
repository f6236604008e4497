// Builds an image from a recipe: Debian packages through mmdebstrap, own files over them,
// everything compiled, nothing kept that says when or where. Same packages, same digest.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_BUILD_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_BUILD_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/cli/rootfs/pack.h"
#include "tools/cli/rootfs/recipe.h"

namespace cellblock::cli {

struct BuildOptions {
  std::string store;
  std::string name;
  ImageFormat format = ImageFormat::kErofs;
  bool verbose = false;  // the tools' own output goes to standard error
  std::function<void(const std::string& step)> progress;
};

absl::StatusOr<std::unique_ptr<internal::Manifest>> BuildImage(const LoadedRecipe& recipe,
                                                               const BuildOptions& options);

// Examines and packs the finished `root` into `folder` and writes the manifest; the last steps of
// every way to make an image.
absl::Status FinishImage(const std::string& folder, const std::string& root,
                         const BuildOptions& options, internal::Manifest* manifest);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_BUILD_H_
