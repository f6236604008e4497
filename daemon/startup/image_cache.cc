#include "daemon/startup/image_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxFontList = int64_t{16} << 20;
constexpr char kFolder[] = "prepared";

// Leaves the font list that matplotlib made in the work folder.
constexpr char kPrepare[] = R"(
import glob, os, shutil
os.makedirs('prepared', exist_ok=True)
try:
    import matplotlib, matplotlib.font_manager
except ImportError:
    pass
else:
    for path in glob.glob(os.path.join(matplotlib.get_cachedir(), 'fontlist-*.json')):
        shutil.copyfile(path, os.path.join('prepared', os.path.basename(path)))
)";

std::string CacheFolder(const std::string& state_dir, const std::string& digest) {
  return absl::StrCat(state_dir, "/cache/", digest);
}

bool IsDigest(absl::string_view digest) {
  return !digest.empty() && digest.size() <= 128 &&
         std::all_of(digest.begin(), digest.end(),
                     [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

// The name comes out of a sandbox and becomes a file of ours.
bool IsFontList(absl::string_view name) {
  return absl::StartsWith(name, "fontlist-") && absl::EndsWith(name, ".json") &&
         name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '.';
         });
}

absl::StatusOr<std::string> ReadPrepared(CellRunner* runner, const std::string& path) {
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd file, runner->OpenRead(path));
  struct stat status;
  if (fstat(file.get(), &status) != 0) return ErrnoStatus("stat", path, errno);
  if (!S_ISREG(status.st_mode) || status.st_size > kMaxFontList) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": no file of a sensible size"));
  }
  std::string content(status.st_size, '\0');
  if (pread(file.get(), content.data(), content.size(), 0) !=
      static_cast<ssize_t>(content.size())) {
    return ErrnoStatus("read", path, EIO);
  }
  return content;
}

absl::Status MakeFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return ErrnoStatus("make folder", folder, errno);
  }
  // Whatever the umask: sandboxes of other users read it.
  if (chmod(folder.c_str(), 0755) != 0) return ErrnoStatus("chmod", folder, errno);
  return absl::OkStatus();
}

absl::Status WriteOut(const std::string& path, const std::string& content) {
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return ErrnoStatus("create", path, errno);
  CELLBLOCK_RETURN_IF_ERROR(WriteAll(file.get(), content));
  if (fchmod(file.get(), 0644) != 0) return ErrnoStatus("chmod", path, errno);
  return absl::OkStatus();
}

}  // namespace

bool HasImageCache(const std::string& state_dir, const std::string& digest) {
  std::error_code error;
  return IsDigest(digest) && fs::is_directory(CacheFolder(state_dir, digest), error);
}

absl::Status PrepareImageCache(const std::string& state_dir, CellRunner* runner, RunCode run) {
  const std::string& digest = runner->info().image_digest;
  if (!IsDigest(digest)) return absl::InternalError("the image has no usable digest");
  CELLBLOCK_RETURN_IF_ERROR(run(kPrepare));
  CELLBLOCK_ASSIGN_OR_RETURN(const FileListing listing, runner->List(kFolder, false, 64));

  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(state_dir + "/cache"));
  const std::string making = absl::StrCat(state_dir, "/cache/.making-", getpid());
  std::error_code error;
  fs::remove_all(making, error);
  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(making));
  const auto discard = absl::MakeCleanup([&making] {
    std::error_code ignored;
    fs::remove_all(making, ignored);
  });
  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(making + "/matplotlib"));
  for (const FileEntry& entry : listing.entries) {
    const std::string name = fs::path(entry.path).filename();
    if (entry.type != EntryType::kRegular || !IsFontList(name)) continue;
    CELLBLOCK_ASSIGN_OR_RETURN(const std::string content,
                               ReadPrepared(runner, absl::StrCat(kFolder, "/", name)));
    CELLBLOCK_RETURN_IF_ERROR(WriteOut(making + "/matplotlib/" + name, content));
  }
  const std::string folder = CacheFolder(state_dir, digest);
  // ENOTEMPTY: another daemon on the same folder was quicker, with the same content.
  if (rename(making.c_str(), folder.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST) {
    return ErrnoStatus("rename", folder, errno);
  }
  return absl::OkStatus();
}

}  // namespace cellblock
