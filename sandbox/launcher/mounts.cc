#include "sandbox/launcher/mounts.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {
namespace {

// The file system's own words, which say more than the errno: "e overlay: ..." lines.
std::string Explanation(int fs) {
  char text[512];
  const ssize_t count = read(fs, text, sizeof text);
  return count > 2 ? std::string(text + 2, count - 2) : std::string();
}

}  // namespace

absl::StatusOr<UniqueFd> NewMount(const std::string& type, const MountOptions& options,
                                  uint64_t attributes) {
  const UniqueFd fs(static_cast<int>(syscall(SYS_fsopen, type.c_str(), FSOPEN_CLOEXEC)));
  if (!fs.valid()) return StepFailed("fsopen", type, errno);
  for (const auto& [key, value] : options) {
    const bool flag = value.empty();
    if (syscall(SYS_fsconfig, fs.get(), flag ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING, key.c_str(),
                flag ? nullptr : value.c_str(), 0) != 0) {
      const int error = errno;
      return StepFailed("fsconfig", absl::StrCat(type, " ", key, "=", value), error,
                        Explanation(fs.get()));
    }
  }
  if (syscall(SYS_fsconfig, fs.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    const int error = errno;
    return StepFailed("make file system", type, error, Explanation(fs.get()));
  }
  UniqueFd mount(static_cast<int>(syscall(SYS_fsmount, fs.get(), FSMOUNT_CLOEXEC, attributes)));
  if (!mount.valid()) return StepFailed("fsmount", type, errno);
  return mount;
}

absl::StatusOr<UniqueFd> CloneMount(int dir_fd, const std::string& path, uint64_t attributes) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (path.empty() ? AT_EMPTY_PATH : 0);
  UniqueFd mount(static_cast<int>(syscall(SYS_open_tree, dir_fd, path.c_str(), flags)));
  if (!mount.valid()) return StepFailed("open_tree", path, errno);
  mount_attr wanted{};
  wanted.attr_set = attributes;
  wanted.propagation = MS_PRIVATE;
  if (syscall(SYS_mount_setattr, mount.get(), "", AT_EMPTY_PATH, &wanted, sizeof wanted) != 0) {
    return StepFailed("mount_setattr", path, errno);
  }
  return mount;
}

absl::Status Attach(int mount_fd, const std::string& path) {
  if (syscall(SYS_move_mount, mount_fd, "", AT_FDCWD, path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0) {
    return absl::OkStatus();
  }
  return StepFailed("move_mount", path, errno);
}

absl::Status Detach(const std::string& path) {
  if (umount2(path.c_str(), MNT_DETACH) == 0) return absl::OkStatus();
  return StepFailed("umount", path, errno);
}

}  // namespace cellblock::launcher
