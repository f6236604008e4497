#include "tools/cli/rootfs/build.h"

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/cli/rootfs/debian.h"
#include "tools/cli/rootfs/digest.h"
#include "tools/cli/rootfs/store.h"
#include "tools/cli/rootfs/tool.h"
#include "tools/cli/rootfs/tree.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScripts[] = {"compile.py", "fonts.py"};
constexpr int64_t kMemoryToBuildIn = int64_t{12} << 30;

// SOURCE_DATE_EPOCH of the environment goes first, as everywhere.
absl::StatusOr<int64_t> Epoch(const internal::Recipe& recipe) {
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  int64_t epoch = recipe.source_date_epoch();
  if (given != nullptr && (!absl::SimpleAtoi(given, &epoch) || epoch < 0)) {
    return absl::InvalidArgumentError("SOURCE_DATE_EPOCH must be a number of seconds");
  }
  return epoch;
}

// Of the recipe, the overlays and the script: all of the inputs but the packages.
absl::StatusOr<std::string> InputsDigest(const LoadedRecipe& recipe) {
  std::string material = recipe.text;
  for (const char* name : kScripts) {
    CELLBLOCK_ASSIGN_OR_RETURN(const std::string script,
                               ReadFile(absl::StrCat(RootfsFolder(), "/", name)));
    absl::StrAppend(&material, script);
  }
  for (const std::string& overlay : recipe.recipe->overlays()) {
    CELLBLOCK_ASSIGN_OR_RETURN(
        const TreeFacts facts,
        ExamineTree(fs::canonical(absl::StrCat(RootfsFolder(), "/overlay/", overlay)).string()));
    absl::StrAppend(&material, facts.digest);
  }
  return Sha256(material);
}

// Runs one of our scripts with the root's own interpreter.
absl::Status RunInside(const std::string& root, const std::string& script, const std::string& log) {
  ToolCall call;
  CELLBLOCK_ASSIGN_OR_RETURN(call.input, ReadFile(absl::StrCat(RootfsFolder(), "/", script)));
  call.argv = {"chroot", root, "/usr/bin/python3", "-s", "-B", "-"};
  call.package = "coreutils";
  call.environment = {"PYTHONHASHSEED=0", "PYTHONPATH=", "HOME=/nonexistent"};
  call.log = log;
  return RunTool(call).status();
}

// The root is put together in memory where there is enough: many times quicker than on disk. The
// mount is in this process's own namespace and goes with it.
absl::Status MountMemory(const std::string& folder) {
  if (sysconf(_SC_AVPHYS_PAGES) < kMemoryToBuildIn / sysconf(_SC_PAGESIZE)) return absl::OkStatus();
  const std::string size = absl::StrCat("mode=0755,size=", kMemoryToBuildIn / 2);
  return mount("cellblock", folder.c_str(), "tmpfs", 0, size.c_str()) == 0
             ? absl::OkStatus()
             : ErrnoStatus("mount tmpfs", folder, errno);
}

absl::Status CheckOverlays(const internal::Recipe& recipe) {
  std::error_code error;
  for (const std::string& overlay : recipe.overlays()) {
    const std::string path = absl::StrCat(RootfsFolder(), "/overlay/", overlay);
    if (!fs::is_directory(path, error)) {
      return absl::NotFoundError(absl::StrCat("overlays: there is no folder ", path));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FinishImage(const std::string& folder, const std::string& root,
                         const BuildOptions& options, internal::Manifest* manifest) {
  options.progress("digest of every file");
  CELLBLOCK_ASSIGN_OR_RETURN(const TreeFacts facts, ExamineTree(root));
  manifest->set_digest(facts.digest);
  manifest->set_entries(facts.entries);
  manifest->set_content_bytes(facts.bytes);
  options.progress("image file");
  CELLBLOCK_RETURN_IF_ERROR(PackImage(root, folder, options.format, manifest));
  std::error_code error;
  fs::remove(folder + "/log", error);
  return WriteManifest(folder, *manifest);
}

absl::StatusOr<std::unique_ptr<internal::Manifest>> BuildImage(const LoadedRecipe& loaded,
                                                               const BuildOptions& options) {
  if (geteuid() != 0) {
    return absl::PermissionDeniedError(
        "packages are installed as root, so that files get their owners: run it with sudo");
  }
  internal::Recipe recipe = *loaded.recipe;
  CELLBLOCK_RETURN_IF_ERROR(CheckOverlays(recipe));
  CELLBLOCK_ASSIGN_OR_RETURN(const int64_t epoch, Epoch(recipe));
  recipe.set_source_date_epoch(epoch);
  CELLBLOCK_ASSIGN_OR_RETURN(const std::vector<std::string> sources,
                             PackageSources(recipe.suite()));
  CELLBLOCK_ASSIGN_OR_RETURN(const StoreLock lock, StoreLock::Take(options.store));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string folder, lock.BeginImage(options.name));
  const std::string workshop = folder + "/workshop", root = workshop + "/root";
  std::error_code error;
  fs::create_directory(workshop, error);
  CELLBLOCK_RETURN_IF_ERROR(MountMemory(workshop));
  const std::string log = options.verbose ? "" : folder + "/log";

  auto manifest = std::make_unique<internal::Manifest>();
  manifest->set_name(options.name);
  manifest->set_description(recipe.description());
  internal::Manifest::Inputs* inputs = manifest->mutable_inputs();
  inputs->set_source(absl::StrCat("recipe ", loaded.name));
  inputs->set_source_date_epoch(epoch);
  for (const std::string& source : sources) inputs->add_package_sources(source);
  CELLBLOCK_ASSIGN_OR_RETURN(*inputs->mutable_sha256(), InputsDigest(loaded));

  options.progress(
      absl::StrCat("packages: ", recipe.packages_size(), " named, with what they depend on"));
  CELLBLOCK_RETURN_IF_ERROR(InstallPackages(recipe, sources, root, log));
  CELLBLOCK_RETURN_IF_ERROR(DescribeContent(root, manifest.get()));
  options.progress(absl::StrCat("own files, bytecode: ", manifest->packages_size(), " packages"));
  for (const std::string& overlay : recipe.overlays()) {
    CELLBLOCK_RETURN_IF_ERROR(AddOverlay(root, absl::StrCat(RootfsFolder(), "/overlay/", overlay)));
  }
  for (const char* script : kScripts) {
    CELLBLOCK_RETURN_IF_ERROR(RunInside(root, script, log));
  }
  options.progress("trim");
  CELLBLOCK_RETURN_IF_ERROR(
      RemovePaths(root, {recipe.remove_paths().begin(), recipe.remove_paths().end()}));
  CELLBLOCK_RETURN_IF_ERROR(NormalizeTree(root, epoch));
  CELLBLOCK_RETURN_IF_ERROR(FinishImage(folder, root, options, manifest.get()));
  umount2(workshop.c_str(), MNT_DETACH);
  fs::remove_all(workshop, error);
  if (error) return ErrnoStatus("remove", workshop, error.value());
  CELLBLOCK_RETURN_IF_ERROR(lock.Publish(folder, options.name));
  return manifest;
}

}  // namespace cellblock::cli
