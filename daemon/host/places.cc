#include "daemon/host/places.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

absl::Status InTheWay(absl::string_view object, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(object, ": ", why));
}

// Opens `folder`, making it and what is above it; `made` says whether it was not there.
absl::StatusOr<UniqueFd> MakeFolder(const std::string& folder, bool* made) {
  const std::string parent = fs::path(folder).parent_path();
  std::error_code error;
  if (!fs::exists(parent, error)) {
    fs::create_directories(parent, error);
    if (error) return ErrnoStatus("make folder", parent, error.value());
  }
  *made = mkdir(folder.c_str(), 0700) == 0;
  if (!*made && errno != EEXIST) return ErrnoStatus("make folder", folder, errno);
  UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open folder", folder, errno);
  return fd;
}

absl::Status Hand(int fd, const std::string& path, const Identity& owner, gid_t group,
                  mode_t mode) {
  if (fchown(fd, owner.uid, group) != 0) return ErrnoStatus("chown", path, errno);
  if (fchmod(fd, mode) != 0) return ErrnoStatus("chmod", path, errno);
  return absl::OkStatus();
}

// What `cellblock rootfs build` makes before the first daemon: the images stay root's.
bool HoldsOnlyImages(const std::string& folder, const struct stat& status) {
  if (status.st_uid != geteuid() || (status.st_mode & 0022) != 0) return false;
  std::error_code error;
  bool images = false;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename() != "images" || !entry.is_directory(error)) return false;
    images = true;
  }
  return images && !error;
}

// A folder that was there before is handed over only if nobody else can have a use for it.
absl::Status CheckMayTake(int fd, const std::string& folder, const Identity& owner) {
  struct stat status;
  if (fstat(fd, &status) != 0) return ErrnoStatus("stat", folder, errno);
  if (status.st_uid == owner.uid) return absl::OkStatus();
  std::error_code error;
  const bool private_and_empty = status.st_uid == geteuid() && (status.st_mode & 0077) == 0 &&
                                 fs::is_empty(folder, error) && !error;
  if (private_and_empty || HoldsOnlyImages(folder, status)) return absl::OkStatus();
  return InTheWay(
      folder,
      absl::StrCat("exists and belongs to uid ", status.st_uid, ", while the daemon runs as uid ",
                   owner.uid, "; name a folder that does not exist yet, or chown this one"));
}

}  // namespace

absl::StatusOr<UniqueFd> LockStateDir(const std::string& state_dir, const Identity& owner) {
  bool made = false;
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd folder, MakeFolder(state_dir, &made));
  if (!made) CELLBLOCK_RETURN_IF_ERROR(CheckMayTake(folder.get(), state_dir, owner));
  // 0755: sandboxes read the image caches below it.
  CELLBLOCK_RETURN_IF_ERROR(Hand(folder.get(), state_dir, owner, owner.gid, 0755));
  const std::string path = state_dir + "/lock";
  UniqueFd lock(openat(folder.get(), "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!lock.valid()) return ErrnoStatus("open", path, errno);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus("lock", path, errno);
    char holder[32] = {};
    if (pread(lock.get(), holder, sizeof holder - 1, 0) < 0) holder[0] = '\0';
    return InTheWay(state_dir, absl::StrCat("in use by another cellblockd (process ",
                                            absl::StripSuffix(holder, "\n"),
                                            "); give this one a --state_dir of its own"));
  }
  if (fchown(lock.get(), owner.uid, owner.gid) != 0) return ErrnoStatus("chown", path, errno);
  if (ftruncate(lock.get(), 0) != 0) return ErrnoStatus("truncate", path, errno);
  CELLBLOCK_RETURN_IF_ERROR(WriteAll(lock.get(), absl::StrCat(getpid(), "\n")));
  return lock;
}

absl::Status PrepareSocketFolder(const std::string& socket, const Identity& owner,
                                 std::optional<gid_t> group) {
  if (socket.size() >= sizeof(sockaddr_un::sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("socket path too long: ", socket));
  }
  const std::string folder = fs::path(socket).parent_path();
  bool made = false;
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd fd, MakeFolder(folder, &made));
  if (!made) {
    CELLBLOCK_RETURN_IF_ERROR(CheckMayTake(fd.get(), folder, owner));
    // An unprivileged user's own folder may serve other ends; the socket's mode is enough.
    if (geteuid() == owner.uid && !group.has_value()) return absl::OkStatus();
  }
  if (group.has_value()) return Hand(fd.get(), folder, owner, *group, 02750);
  return Hand(fd.get(), folder, owner, owner.gid, 0700);
}

absl::Status RemoveStaleSocket(const std::string& socket) {
  struct stat status;
  if (lstat(socket.c_str(), &status) != 0) {
    return errno == ENOENT ? absl::OkStatus() : ErrnoStatus("stat", socket, errno);
  }
  if (!S_ISSOCK(status.st_mode)) return InTheWay(socket, "exists and is not a socket");
  UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  if (connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return InTheWay(socket, "another daemon serves it");
  }
  if (unlink(socket.c_str()) != 0 && errno != ENOENT) return ErrnoStatus("unlink", socket, errno);
  return absl::OkStatus();
}

}  // namespace cellblock
