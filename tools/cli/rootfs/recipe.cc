#include "tools/cli/rootfs/recipe.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".textproto";
constexpr int kMaxIncludes = 8;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

std::string PathOf(const std::string& recipe) {
  if (absl::StrContains(recipe, '/') || absl::EndsWith(recipe, kSuffix)) return recipe;
  return absl::StrCat(RootfsFolder(), "/recipes/", recipe, kSuffix);
}

absl::StatusOr<internal::Recipe> ReadOne(const std::string& recipe, std::string* text) {
  const std::string path = PathOf(recipe);
  const absl::StatusOr<std::string> content = ReadFile(path, 1 << 20);
  if (absl::IsNotFound(content.status())) {
    return absl::NotFoundError(absl::StrCat("no recipe \"", recipe,
                                            "\"; there are: ", absl::StrJoin(RecipeNames(), ", "),
                                            ", and paths to files of your own"));
  }
  if (!content.ok()) return content.status();
  internal::Recipe parsed;
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(*content, &parsed)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", error.text));
  }
  absl::StrAppend(text, *content);
  return parsed;
}

// These become arguments of dpkg and parts of paths.
absl::Status Check(const internal::Recipe& recipe) {
  const auto word = [](const std::string& value) {
    return !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
      return absl::ascii_isalnum(c) || absl::StrContains("+-._:=~", c);
    });
  };
  for (const std::string& package : recipe.packages()) {
    if (word(package)) continue;
    return absl::InvalidArgumentError(absl::StrCat("packages: \"", package, "\" is no package"));
  }
  for (const std::string& overlay : recipe.overlays()) {
    if (word(overlay) && overlay[0] != '.') continue;
    return absl::InvalidArgumentError(
        absl::StrCat("overlays: \"", overlay, "\" is no folder of rootfs/overlay"));
  }
  for (const std::string& path : recipe.remove_paths()) {
    if (!path.empty() && path[0] != '/' && !absl::StrContains(path, "..")) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("remove_paths: \"", path, "\" must be relative to the root, without .."));
  }
  if (!word(recipe.suite())) return absl::InvalidArgumentError("suite: is missing");
  return absl::OkStatus();
}

}  // namespace

std::string RootfsFolder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "share/cellblock/rootfs";
}

std::vector<std::string> RecipeNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(RootfsFolder() + "/recipes", error)) {
    if (entry.path().extension() == kSuffix) names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<LoadedRecipe> LoadRecipe(const std::string& recipe) {
  LoadedRecipe loaded;
  loaded.name = fs::path(PathOf(recipe)).stem();
  std::vector<internal::Recipe> chain;
  for (std::string next = recipe; !next.empty(); next = chain.back().include()) {
    if (chain.size() == kMaxIncludes) {
      return absl::InvalidArgumentError(absl::StrCat(recipe, ": includes itself"));
    }
    CELLBLOCK_ASSIGN_OR_RETURN(internal::Recipe one, ReadOne(next, &loaded.text));
    chain.push_back(std::move(one));
  }
  loaded.recipe = std::make_unique<internal::Recipe>();
  std::reverse(chain.begin(), chain.end());
  for (const internal::Recipe& one : chain) loaded.recipe->MergeFrom(one);
  CELLBLOCK_RETURN_IF_ERROR(Check(*loaded.recipe));
  return loaded;
}

}  // namespace cellblock::cli
