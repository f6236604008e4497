// Recipes: text-format files in share/cellblock/rootfs/recipes, or anywhere.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_RECIPE_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_RECIPE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace cellblock::internal {
class Recipe;
}

namespace cellblock::cli {

struct LoadedRecipe {
  std::unique_ptr<internal::Recipe> recipe;  // with what it includes, the included first
  std::string name;                          // "data"
  std::string text;                          // all files that were read, for the digest of inputs
};

// Where recipes, overlays and the compiler script of this installation lie.
std::string RootfsFolder();

// A name of a recipe, or a path to one (it has a slash or ends in .textproto). NOT_FOUND lists the
// recipes; INVALID_ARGUMENT has the file and line.
absl::StatusOr<LoadedRecipe> LoadRecipe(const std::string& recipe);
std::vector<std::string> RecipeNames();

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_RECIPE_H_
