#include "sandbox/child/shared_steps.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/netlink.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cellblock::child {
namespace {

// The report pipe's descriptor after KeepDescriptors; the child has one thread.
int moved_report_fd = -1;

// strncpy warns about the cut that is meant here.
void CopyCut(char* to, size_t size, const char* from) {
  size_t i = 0;
  for (; i + 1 < size && from[i] != '\0'; ++i) to[i] = from[i];
  to[i] = '\0';
}

}  // namespace

StepResult Failed(const char* object) {
  return {errno == 0 ? EIO : errno, object};
}

StepResult SetIds(unsigned id) {
  // The raw calls: glibc's wrappers signal all threads, and there is only this one.
  if (syscall(SYS_setresgid, id, id, id) != 0) return Failed("gid");
  if (syscall(SYS_setresuid, id, id, id) != 0) return Failed("uid");
  return Done();
}

StepResult SetRlimits(const Confinement& confinement) {
  for (size_t i = 0; i < confinement.rlimit_count; ++i) {
    const RlimitEntry& entry = confinement.rlimits[i];
    // A limit is only ever lowered: raising one needs CAP_SYS_RESOURCE, which some hosts withhold.
    rlimit now;
    if (getrlimit(static_cast<__rlimit_resource>(entry.resource), &now) != 0)
      return Failed("rlimit");
    const rlim_t value = entry.value < now.rlim_max ? entry.value : now.rlim_max;
    const rlimit wanted{value, value};
    if (setrlimit(static_cast<__rlimit_resource>(entry.resource), &wanted) != 0) {
      return Failed("rlimit");
    }
  }
  return Done();
}

StepResult DropBounding(const Confinement& confinement) {
  constexpr unsigned long kLocked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                    SECBIT_NO_CAP_AMBIENT_RAISE |
                                    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  for (int capability = 0; capability <= confinement.last_capability; ++capability) {
    if (cap_drop_bound(static_cast<cap_value_t>(capability)) != 0) return Failed("bounding set");
  }
  return prctl(PR_SET_SECUREBITS, kLocked, 0, 0, 0) == 0 ? Done() : Failed("securebits");
}

StepResult DropAll(const Confinement& confinement) {
  if (cap_reset_ambient() != 0) return Failed("ambient set");
  return cap_set_proc(confinement.no_capabilities) == 0 ? Done() : Failed("capability sets");
}

StepResult SetNoNewPrivileges() {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? Done() : Failed("no_new_privs");
}

StepResult SetParentDeathSignal() {
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? Done() : Failed("parent death signal");
}

StepResult ResetSignals() {
  for (int number = 1; number < NSIG; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    signal(number, SIG_DFL);  // fails for the two that libc keeps to itself
  }
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, nullptr) == 0 ? Done() : Failed("signal mask");
}

bool MountSizedTmpfs(const char* target, size_t bytes, size_t inodes) {
  char options[96];
  snprintf(options, sizeof options, "mode=1777,size=%zu,nr_inodes=%zu", bytes, inodes);
  return mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) == 0;
}

int NetlinkAnswerError(const char* answer, size_t size) {
  nlmsghdr header;
  nlmsgerr error;
  if (size < NLMSG_HDRLEN + sizeof error.error) return EPROTO;
  memcpy(&header, answer, sizeof header);
  if (header.nlmsg_type != NLMSG_ERROR) return EPROTO;
  memcpy(&error.error, answer + NLMSG_HDRLEN, sizeof error.error);
  return -error.error;
}

StepResult KeepDescriptors(const int* kept, size_t count, int report_fd) {
  constexpr int kOutOfTheWay = 200;
  constexpr size_t kMost = 8;
  int safe[kMost];
  if (count > kMost) {
    errno = EINVAL;
    return Failed("descriptors");
  }
  // First all above the range that is written to, then down to their places.
  for (size_t i = 0; i < count; ++i) {
    safe[i] = fcntl(kept[i], F_DUPFD, kOutOfTheWay);
    if (safe[i] < 0) return Failed("descriptors");
  }
  const int report = fcntl(report_fd, F_DUPFD_CLOEXEC, kOutOfTheWay);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (report < 0) return Failed("report pipe");
  if (null < 0) return Failed("/dev/null");
  for (int fd = 0; fd < 3; ++fd) {
    if (dup2(null, fd) < 0) return Failed("/dev/null");
  }
  for (size_t i = 0; i < count; ++i) {
    if (dup2(safe[i], 3 + static_cast<int>(i)) < 0) return Failed("descriptors");
  }
  const int place = 3 + static_cast<int>(count);
  if (dup3(report, place, O_CLOEXEC) < 0) return Failed("report pipe");
  moved_report_fd = place;
  return syscall(SYS_close_range, place + 1, ~0U, 0) == 0 ? Done() : Failed("close_range");
}

void SetCloseOnExec(int fd) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int ReportFd(int original) {
  return moved_report_fd >= 0 ? moved_report_fd : original;
}

void ReportAndExit(int report_fd, const char* step, const StepResult& result) {
  SetupError report{};
  CopyCut(report.step, sizeof report.step, step);
  CopyCut(report.object, sizeof report.object, result.object);
  report.error = result.error;
  ssize_t count;
  do count = write(report_fd, &report, sizeof report);
  while (count < 0 && errno == EINTR);
  _exit(1);
}

}  // namespace cellblock::child
