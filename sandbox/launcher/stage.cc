#include "sandbox/launcher/stage.h"

#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/mounts.h"

namespace cellblock::launcher {
namespace {

struct Device {
  const char* name;
  unsigned minor;
};
constexpr unsigned kMemoryMajor = 1;
constexpr Device kDevices[] = {
    {"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}};

struct Link {
  const char* name;
  const char* target;
};
constexpr Link kLinks[] = {{"fd", "/proc/self/fd"},
                           {"stdin", "/proc/self/fd/0"},
                           {"stdout", "/proc/self/fd/1"},
                           {"stderr", "/proc/self/fd/2"}};

absl::Status FillDev(const std::string& dev) {
  CELLBLOCK_ASSIGN_OR_RETURN(
      const UniqueFd mount,
      NewMount("tmpfs", {{"mode", "0755"}, {"size", "64k"}, {"nr_inodes", "32"}},
               MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  CELLBLOCK_RETURN_IF_ERROR(Attach(mount.get(), dev));
  for (const Device& device : kDevices) {
    const std::string path = absl::StrCat(dev, "/", device.name);
    if (mknod(path.c_str(), S_IFCHR | 0666, makedev(kMemoryMajor, device.minor)) != 0) {
      return StepFailed("make device", device.name, errno);
    }
    chmod(path.c_str(), 0666);  // whatever the umask
  }
  for (const Link& link : kLinks) {
    if (symlink(link.target, absl::StrCat(dev, "/", link.name).c_str()) != 0) {
      return StepFailed("make link", link.name, errno);
    }
  }
  const std::string shm = absl::StrCat(dev, "/shm");
  return mkdir(shm.c_str(), 0755) == 0 ? absl::OkStatus() : StepFailed("make folder", shm, errno);
}

}  // namespace

absl::StatusOr<Stage> MakeStage(const std::string& folder) {
  if (unshare(CLONE_NEWNS) != 0) {
    return StepFailed("unshare mount namespace", "", errno, "the launcher must run as root");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return StepFailed("make mounts private", "/", errno);
  }
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return StepFailed("make stage", folder, errno);
  }
  CELLBLOCK_ASSIGN_OR_RETURN(
      const UniqueFd tmpfs,
      NewMount("tmpfs", {{"mode", "0755"}, {"size", "64m"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  CELLBLOCK_RETURN_IF_ERROR(Attach(tmpfs.get(), folder));
  Stage stage;
  stage.folder = folder;
  for (auto [member, name] : {std::pair{&stage.root, "root"},
                              {&stage.build, "build"},
                              {&stage.host, "host"},
                              {&stage.cgroup, "cgroup"},
                              {&stage.dev, "dev"},
                              {&stage.empty, "empty"},
                              {&stage.worker, "worker"},
                              {&stage.images, "images"},
                              {&stage.caches, "caches"}}) {
    *member = absl::StrCat(folder, "/", name);
    if (mkdir(member->c_str(), 0755) != 0) return StepFailed("make stage", *member, errno);
  }
  CELLBLOCK_RETURN_IF_ERROR(FillDev(stage.dev));
  return stage;
}

}  // namespace cellblock::launcher
