#include "tools/cli/rootfs/tree.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/status.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

// `parts` are matched one by one, each against the names of one real folder.
absl::Status RemoveMatches(const fs::path& folder, absl::Span<const std::string> parts) {
  std::error_code error;
  std::vector<fs::path> matches;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (fnmatch(parts[0].c_str(), name.c_str(), 0) == 0) matches.push_back(entry.path());
  }
  for (const fs::path& match : matches) {
    if (parts.size() > 1) {
      if (fs::is_directory(fs::symlink_status(match, error))) {
        CELLBLOCK_RETURN_IF_ERROR(RemoveMatches(match, parts.subspan(1)));
      }
      continue;
    }
    fs::remove_all(match, error);
    if (error) return ErrnoStatus("remove", match.string(), error.value());
  }
  return absl::OkStatus();
}

absl::Status NormalizeEntry(const std::string& path, int64_t epoch) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return ErrnoStatus("stat", path, errno);
  const bool is_link = S_ISLNK(status.st_mode);
  if (!is_link && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return unlink(path.c_str()) == 0 ? absl::OkStatus() : ErrnoStatus("remove", path, errno);
  }
  if (geteuid() == 0 && lchown(path.c_str(), 0, 0) != 0) return ErrnoStatus("chown", path, errno);
  if (!is_link) {
    // Readable by whoever the session is; nobody may write.
    const mode_t mode = S_ISDIR(status.st_mode) || (status.st_mode & 0111) != 0 ? 0755 : 0644;
    if (chmod(path.c_str(), mode) != 0) return ErrnoStatus("chmod", path, errno);
  }
  const timespec times[2] = {{static_cast<time_t>(epoch), 0}, {static_cast<time_t>(epoch), 0}};
  if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
    return ErrnoStatus("set time", path, errno);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RemovePaths(const std::string& root, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> parts = absl::StrSplit(pattern, '/', absl::SkipEmpty());
    if (!parts.empty()) CELLBLOCK_RETURN_IF_ERROR(RemoveMatches(root, parts));
  }
  return absl::OkStatus();
}

absl::Status AddOverlay(const std::string& root, const std::string& overlay) {
  std::error_code error;
  fs::copy(overlay, root,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks |
               fs::copy_options::overwrite_existing,
           error);
  return error ? ErrnoStatus("copy", overlay, error.value()) : absl::OkStatus();
}

absl::Status NormalizeTree(const std::string& root, int64_t epoch) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
    paths.push_back(entry.path());
  }
  if (error) return ErrnoStatus("read folder", root, error.value());
  // From the end, so that a folder's time is set after its entries are done.
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    CELLBLOCK_RETURN_IF_ERROR(NormalizeEntry(*path, epoch));
  }
  return NormalizeEntry(root, epoch);
}

}  // namespace cellblock::cli
