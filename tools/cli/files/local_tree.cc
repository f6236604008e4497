#include "tools/cli/files/local_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/status.h"
#include "tools/cli/files/replace_file.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxFiles = 100000;

enum class Links { kFollowInside, kRefuse };

absl::StatusOr<UniqueFd> OpenBeneath(int folder, const std::string& path, uint64_t flags,
                                     Links links) {
  open_how how = {};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::kRefuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  const char* name = path.empty() ? "." : path.c_str();
  UniqueFd fd(static_cast<int>(syscall(SYS_openat2, folder, name, &how, sizeof how)));
  if (!fd.valid()) return ErrnoStatus("open", OneLine(path), errno);
  return fd;
}

struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};

absl::StatusOr<std::vector<std::string>> Names(UniqueFd folder, const std::string& path) {
  const std::unique_ptr<DIR, CloseDir> dir(fdopendir(folder.get()));
  if (dir == nullptr) return ErrnoStatus("list", OneLine(path), errno);
  folder.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    errno = 0;
  }
  if (errno != 0) return ErrnoStatus("list", OneLine(path), errno);
  std::sort(names.begin(), names.end());
  return names;
}

// The folder part and the last part.
std::pair<std::string, std::string> SplitName(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

bool IsSafeName(absl::string_view path) {
  if (path.find('\0') != absl::string_view::npos) return false;
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool IsLeftOut(absl::string_view folder_name) {
  for (const char* name :
       {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", ".ipynb_checkpoints"}) {
    if (folder_name == name) return true;
  }
  return false;
}

absl::StatusOr<LocalTree> LocalTree::Open(const std::string& folder) {
  UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open folder", OneLine(folder), errno);
  return LocalTree(std::move(fd));
}

absl::StatusOr<LocalListing> LocalTree::List() const {
  LocalListing listing;
  CELLBLOCK_RETURN_IF_ERROR(ListFolder("", 0, &listing));
  return listing;
}

absl::Status LocalTree::ListFolder(const std::string& path, int depth,
                                   LocalListing* listing) const {
  CELLBLOCK_ASSIGN_OR_RETURN(
      UniqueFd folder,
      OpenBeneath(folder_.get(), path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, Links::kRefuse));
  const int fd = folder.get();
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd kept,
                             OpenBeneath(fd, "", O_PATH | O_DIRECTORY, Links::kRefuse));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(std::move(folder), path));
  for (const std::string& name : names) {
    const std::string full = path.empty() ? name : absl::StrCat(path, "/", name);
    struct stat status;
    if (fstatat(kept.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode)) {
      if (IsLeftOut(name)) continue;
      if (depth == kMaxDepth) {
        listing->left_out.push_back(OneLine(full) + ": too deep");
        continue;
      }
      CELLBLOCK_RETURN_IF_ERROR(ListFolder(full, depth + 1, listing));
      continue;
    }
    const absl::StatusOr<UniqueFd> file = OpenFile(full);
    if (!file.ok()) {
      listing->left_out.push_back(absl::StrCat(
          OneLine(full), S_ISLNK(status.st_mode) ? ": a link that is not to a file of the folder"
                                                 : ": not a regular file that can be read"));
      continue;
    }
    if (fstat(file->get(), &status) != 0) continue;
    if (listing->files.size() == kMaxFiles) {
      return absl::ResourceExhaustedError(absl::StrCat("more than ", kMaxFiles, " files"));
    }
    listing->files.push_back({full, status.st_size});
  }
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> LocalTree::OpenFile(const std::string& path) const {
  if (!IsSafeName(path)) return absl::InvalidArgumentError(OneLine(path) + ": unsafe name");
  // A FIFO must not block, a device must not be touched more than by this open.
  CELLBLOCK_ASSIGN_OR_RETURN(
      UniqueFd file,
      OpenBeneath(folder_.get(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY, Links::kFollowInside));
  struct stat status;
  if (fstat(file.get(), &status) != 0) return ErrnoStatus("stat", OneLine(path), errno);
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(OneLine(path) + ": not a regular file");
  }
  return file;
}

absl::Status LocalTree::Replace(const std::string& path, uint32_t mode,
                                const std::function<absl::Status(int fd)>& fill) const {
  if (!IsSafeName(path)) return absl::InvalidArgumentError(OneLine(path) + ": unsafe name");
  const auto [folder_path, name] = SplitName(path);
  std::string so_far;
  if (!folder_path.empty()) {
    for (const absl::string_view part : absl::StrSplit(folder_path, '/')) {
      CELLBLOCK_ASSIGN_OR_RETURN(
          const UniqueFd above,
          OpenBeneath(folder_.get(), so_far, O_PATH | O_DIRECTORY, Links::kRefuse));
      if (mkdirat(above.get(), std::string(part).c_str(), 0777) != 0 && errno != EEXIST) {
        return ErrnoStatus("make folder", OneLine(path), errno);
      }
      absl::StrAppend(&so_far, so_far.empty() ? "" : "/", part);
    }
  }
  CELLBLOCK_ASSIGN_OR_RETURN(
      const UniqueFd folder,
      OpenBeneath(folder_.get(), folder_path, O_PATH | O_DIRECTORY, Links::kRefuse));
  CELLBLOCK_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(folder.get(), name));
  CELLBLOCK_RETURN_IF_ERROR(fill(file.fd()));
  return file.Commit((mode & 0100) != 0 ? 0777 : 0666);
}

absl::Status LocalTree::Remove(const std::string& path) const {
  if (!IsSafeName(path)) return absl::InvalidArgumentError(OneLine(path) + ": unsafe name");
  const auto [folder_path, name] = SplitName(path);
  CELLBLOCK_ASSIGN_OR_RETURN(
      const UniqueFd folder,
      OpenBeneath(folder_.get(), folder_path, O_PATH | O_DIRECTORY, Links::kRefuse));
  if (unlinkat(folder.get(), name.c_str(), 0) != 0) {
    return ErrnoStatus("remove", OneLine(path), errno);
  }
  return absl::OkStatus();
}

}  // namespace cellblock::cli
