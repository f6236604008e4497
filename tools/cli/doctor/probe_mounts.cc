// The mounts that a sandbox's root is made of, in a mount namespace that ends with the attempt.
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "tools/cli/doctor/probe.h"

namespace cellblock::cli {
namespace {

long Configure(int fs, const char* key, const char* value) {
  return syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0);
}

// The new mount in `mount_fd`.
bool MakeMount(Steps& steps, int fs, int* mount_fd) {
  if (!steps.Do("fsconfig create",
                syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0))) {
    return false;
  }
  *mount_fd = static_cast<int>(
      syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  return steps.Do("fsmount", *mount_fd);
}

bool Open(Steps& steps, const char* type, int* fs) {
  *fs = static_cast<int>(syscall(SYS_fsopen, type, FSOPEN_CLOEXEC));
  return steps.Do("fsopen", *fs);
}

// A tmpfs of 64 KiB at /tmp of a private mount namespace. Nothing is mounted unless the namespace
// is private.
bool MakeWorkshop(Steps& steps) {
  int fs = -1, mount_fd = -1;
  return steps.Do("unshare", unshare(CLONE_NEWNS)) &&
         steps.Do("make mounts private",
                  mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr)) &&
         Open(steps, "tmpfs", &fs) && steps.Do("set size", Configure(fs, "size", "65536")) &&
         steps.Do("set nr_inodes", Configure(fs, "nr_inodes", "16")) &&
         MakeMount(steps, fs, &mount_fd) &&
         steps.Do("move_mount",
                  syscall(SYS_move_mount, mount_fd, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH));
}

void TryTmpfsLimits(Steps& steps) {
  if (!MakeWorkshop(steps)) return;
  const int file = open("/tmp/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (!steps.Do("create", file)) return;
  char page[4096] = {};
  int pages = 0;
  while (pages < 64 && write(file, page, sizeof page) == sizeof page) ++pages;
  errno = ERANGE;
  steps.Do("the size limit does not hold", pages <= 16 ? 0 : -1);
}

void TryOverlay(Steps& steps) {
  int fs = -1, mount_fd = -1;
  const bool made = MakeWorkshop(steps) && steps.Do("mkdir", mkdir("/tmp/upper", 0755)) &&
                    steps.Do("mkdir", mkdir("/tmp/work", 0755)) && Open(steps, "overlay", &fs) &&
                    steps.Do("set lowerdir", Configure(fs, "lowerdir", "/usr")) &&
                    steps.Do("set upperdir", Configure(fs, "upperdir", "/tmp/upper")) &&
                    steps.Do("set workdir", Configure(fs, "workdir", "/tmp/work")) &&
                    MakeMount(steps, fs, &mount_fd);
  if (!made) return;
  steps.Do("create in the overlay",
           openat(mount_fd, "cellblock-probe", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

// A nested pid namespace needs a process in it before /proc can be mounted for it.
void TryProc(Steps& steps) {
  if (!steps.Do("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID))) return;
  const pid_t child = fork();
  if (!steps.Do("fork", child)) return;
  if (child == 0) {
    const bool mounted =
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
    _exit(mounted ? 0 : errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
  steps.Do("mount proc", status == 0 ? 0 : -1);
}

}  // namespace

void ProbeMounts(Findings* findings) {
  AddAttempt(findings, "tmpfs limits", TryInChild(TryTmpfsLimits), Level::kMissing,
             "needs root with CAP_SYS_ADMIN, a kernel of 5.2 or newer with CONFIG_TMPFS, and a "
             "container's seccomp profile that lets fsopen and fsmount through");
  AddAttempt(findings, "overlay, detached", TryInChild(TryOverlay), Level::kMissing,
             "load it with `modprobe overlay`; needs a kernel of 5.2 or newer, and in a container "
             "CAP_SYS_ADMIN");
  AddAttempt(findings, "/proc in a user namespace", TryInChild(TryProc), Level::kMissing,
             "parts of this machine's /proc are masked, as containers do: run the container with "
             "`--security-opt systempaths=unconfined`, or outside of one");
}

}  // namespace cellblock::cli
