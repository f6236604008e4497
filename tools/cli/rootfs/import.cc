#include "tools/cli/rootfs/import.h"

#include <unistd.h>

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/status.h"
#include "tools/cli/rootfs/debian.h"
#include "tools/cli/rootfs/oci.h"
#include "tools/cli/rootfs/store.h"
#include "tools/cli/rootfs/tool.h"
#include "tools/cli/rootfs/tree.h"
#include "tools/cli/rootfs/unpack.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kEpoch = 1686355200;
constexpr int kOldestMinor = 9;
constexpr char kHostModules[] = "/usr/lib/python3/dist-packages";
constexpr char kOurModules[] = "/usr/share/cellblock/modules";
// IPython of Debian with all that it imports; pure Python.
constexpr const char* kIPython[] = {"IPython",
                                    "asttokens",
                                    "backcall",
                                    "decorator.py",
                                    "executing",
                                    "jedi",
                                    "matplotlib_inline",
                                    "parso",
                                    "pexpect",
                                    "pickleshare.py",
                                    "prompt_toolkit",
                                    "ptyprocess",
                                    "pure_eval",
                                    "pygments",
                                    "six.py",
                                    "stack_data",
                                    "traitlets",
                                    "typing_extensions.py",
                                    "wcwidth"};

// Names that lie in these folders themselves, never what a link of the image points to.
bool HasEntry(const std::string& folder, absl::string_view prefix, std::string* name) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(folder, error))) return false;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string found = entry.path().filename();
    if (!absl::StartsWith(found, prefix)) continue;
    if (name != nullptr) *name = found;
    return true;
  }
  return false;
}

struct Python {
  std::string folder;  // "usr/bin" or "usr/local/bin"
  int minor = 0;
};

// The newest pythonN.M of the image, by its name: nothing of the image is run here.
Python FindPython(const std::string& root) {
  Python newest;
  std::error_code error;
  for (const char* folder : {"usr/bin", "usr/local/bin"}) {
    const std::string path = absl::StrCat(root, "/", folder);
    if (fs::is_symlink(fs::symlink_status(path, error))) continue;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      const std::string name = entry.path().filename();
      absl::string_view number = name;
      int minor = 0;
      if (absl::ConsumePrefix(&number, "python3.") && absl::SimpleAtoi(number, &minor) &&
          minor >= newest.minor) {
        newest = {folder, minor};
      }
    }
  }
  return newest;
}

// What follows reads and writes below these by path: as links they could lead out of the image.
absl::Status CheckFolders(const std::string& root) {
  for (const char* folder : {"usr", "usr/bin", "usr/lib", "usr/local", "usr/local/bin",
                             "usr/local/lib", "usr/share", "usr/share/cellblock"}) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(absl::StrCat(root, "/", folder), error))) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("the image's /", folder, " is a link; it must be a folder"));
  }
  return absl::OkStatus();
}

absl::Status CheckCanRun(const std::string& root, const Python& python) {
  for (const char* folder : {"/lib", "/usr/lib"}) {
    if (HasEntry(root + folder, "ld-musl-", nullptr)) {
      return absl::FailedPreconditionError(
          "the image is built on musl (Alpine?), which the worker does not support; take the image "
          "of the same software on Debian, e.g. python:3.11-slim instead of python:3.11-alpine");
    }
  }
  if (python.minor == 0) {
    return absl::FailedPreconditionError(
        "the image has no python3 in /usr/bin or /usr/local/bin; install Python 3.9 or newer in "
        "it");
  }
  if (python.minor >= kOldestMinor) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the image has Python 3.", python.minor, "; the worker needs 3.", kOldestMinor, " or newer"));
}

// The worker starts /usr/bin/python3. A real folder and a fresh link: RemovePaths follows none.
absl::Status LinkPython(const std::string& root, const Python& python) {
  CELLBLOCK_RETURN_IF_ERROR(RemovePaths(root, {"usr/bin/python3"}));
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(root + "/usr/bin", error))) {
    return absl::FailedPreconditionError("the image's /usr/bin is no folder");
  }
  const std::string name = absl::StrCat("python3.", python.minor);
  fs::create_symlink(python.folder == "usr/bin" ? name : "../local/bin/" + name,
                     root + "/usr/bin/python3", error);
  return error ? ErrnoStatus("make link", "usr/bin/python3", error.value()) : absl::OkStatus();
}

absl::Status AddIPython(const std::string& root, const Python& python) {
  for (const std::string& folder :
       {std::string("/usr/lib/python3/dist-packages"),
        absl::StrCat("/usr/local/lib/python3.", python.minor, "/site-packages"),
        absl::StrCat("/usr/local/lib/python3.", python.minor, "/dist-packages"),
        absl::StrCat("/usr/lib/python3.", python.minor, "/site-packages")}) {
    if (HasEntry(root + folder, "IPython", nullptr)) return absl::OkStatus();
  }
  CELLBLOCK_RETURN_IF_ERROR(RemovePaths(root, {kOurModules}));
  ToolCall call;
  call.argv = {"cp", "-RL", "--"};
  call.package = "coreutils";
  std::error_code error;
  for (const char* name : kIPython) {
    const std::string path = absl::StrCat(kHostModules, "/", name);
    if (fs::exists(path, error)) call.argv.push_back(path);
  }
  if (!fs::exists(absl::StrCat(kHostModules, "/IPython"), error)) {
    return absl::FailedPreconditionError(
        "the image has no IPython and neither has this machine; apt-get install python3-ipython");
  }
  fs::create_directories(root + kOurModules, error);
  if (error) return ErrnoStatus("make folder", kOurModules, error.value());
  call.argv.push_back(root + kOurModules);
  return RunTool(call).status();
}

absl::Status UnpackSource(const std::string& source, const std::string& workshop,
                          const std::string& root, internal::Manifest* manifest) {
  std::error_code error;
  fs::create_directory(root, error);
  UnpackCaps caps;
  std::string layout = source;
  if (!fs::is_directory(source, error)) {
    layout = workshop + "/layout";
    fs::create_directory(layout, error);
    CELLBLOCK_RETURN_IF_ERROR(UnpackLayer(source, layout, &caps));
  }
  if (!fs::exists(layout + "/index.json", error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(source,
                     ": is no OCI image layout (it has no index.json); make one with e.g. "
                     "skopeo copy docker://NAME oci-archive:FILE.tar"));
  }
  CELLBLOCK_ASSIGN_OR_RETURN(const OciImage image, ReadOciLayout(layout));
  manifest->mutable_inputs()->set_source("oci " + image.digest);
  caps = UnpackCaps();
  for (const std::string& layer : image.layers) {
    CELLBLOCK_RETURN_IF_ERROR(UnpackLayer(layer, root, &caps));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<internal::Manifest>> ImportImage(const std::string& source,
                                                                const BuildOptions& options) {
  if (geteuid() != 0) {
    return absl::PermissionDeniedError("images belong to root: run it with sudo");
  }
  std::error_code error;
  if (!fs::exists(source, error))
    return absl::NotFoundError(absl::StrCat(source, ": is not there"));
  CELLBLOCK_ASSIGN_OR_RETURN(const StoreLock lock, StoreLock::Take(options.store));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string folder, lock.BeginImage(options.name));
  const std::string workshop = folder + "/workshop", root = workshop + "/root";
  fs::create_directory(workshop, error);
  auto manifest = std::make_unique<internal::Manifest>();
  manifest->set_name(options.name);
  manifest->set_description("imported");
  manifest->mutable_inputs()->set_source_date_epoch(kEpoch);
  options.progress("layers");
  CELLBLOCK_RETURN_IF_ERROR(UnpackSource(source, workshop, root, manifest.get()));
  CELLBLOCK_RETURN_IF_ERROR(CheckFolders(root));
  const Python python = FindPython(root);
  CELLBLOCK_RETURN_IF_ERROR(CheckCanRun(root, python));
  CELLBLOCK_RETURN_IF_ERROR(LinkPython(root, python));
  CELLBLOCK_RETURN_IF_ERROR(AddIPython(root, python));
  manifest->set_python_version(absl::StrCat("3.", python.minor));
  CELLBLOCK_RETURN_IF_ERROR(NormalizeTree(root, kEpoch));
  CELLBLOCK_RETURN_IF_ERROR(FinishImage(folder, root, options, manifest.get()));
  fs::remove_all(workshop, error);
  if (error) return ErrnoStatus("remove", workshop, error.value());
  CELLBLOCK_RETURN_IF_ERROR(lock.Publish(folder, options.name));
  return manifest;
}

}  // namespace cellblock::cli
