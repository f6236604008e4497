// Kernel calls that the launcher and init rely on.
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "absl/strings/str_cat.h"
#include "tools/cli/doctor/probe.h"

namespace cellblock::cli {
namespace {

void TrySeccomp(Steps& steps) {
  sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  sock_fprog program = {1, &allow};
  if (!steps.Do("no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))) return;
  steps.Do("seccomp", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

void TryClone3(Steps& steps) {
  int pidfd = -1;
  clone_args args = {};
  args.flags = CLONE_PIDFD;
  args.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  const long child = syscall(SYS_clone3, &args, sizeof args);
  if (child == 0) _exit(0);
  if (!steps.Do("clone3", child)) return;
  steps.Do("pidfd_send_signal", syscall(SYS_pidfd_send_signal, pidfd, 0, nullptr, 0));
  waitpid(static_cast<pid_t>(child), nullptr, 0);
}

void TryOpenat2(Steps& steps) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  steps.Do("openat2", syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how));
}

void TryMemfd(Steps& steps) {
  const int fd = memfd_create("cellblock-probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (!steps.Do("memfd_create", fd)) return;
  steps.Do("seal",
           fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
}

Finding ProbeLandlock() {
  const Attempt attempt = TryInChild([](Steps& steps) {
    const long abi =
        syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (steps.Do("landlock_create_ruleset", abi)) steps.set_value(abi);
  });
  if (attempt.ok()) return {"Landlock", Level::kOk, absl::StrCat("ABI ", attempt.value), ""};
  return {"Landlock", Level::kWarning,
          absl::StrCat(attempt.Text(), "; sandboxes run without this second fence"),
          "boot with `lsm=landlock,...` on the kernel's command line (5.13 or newer)"};
}

}  // namespace

void ProbeSystemCalls(Findings* findings) {
  const auto add = [&](const char* name, const char* since, absl::FunctionRef<void(Steps&)> act) {
    AddAttempt(findings, name, TryInChild(act), Level::kMissing,
               absl::StrCat("needs Linux ", since,
                            " or newer; in a container, a seccomp profile that lets it through"));
  };
  add("seccomp filter", "3.17 with CONFIG_SECCOMP_FILTER", TrySeccomp);
  add("pidfd", "5.3",
      [](Steps& steps) { steps.Do("pidfd_open", syscall(SYS_pidfd_open, getpid(), 0)); });
  add("clone3", "5.5", TryClone3);
  add("openat2", "5.6", TryOpenat2);
  add("close_range", "5.11", [](Steps& steps) {
    steps.Do("close_range", syscall(SYS_close_range, 1000, ~0U, CLOSE_RANGE_CLOEXEC));
  });
  add("mount_setattr", "5.12", [](Steps& steps) {
    // Invalid on purpose: a kernel that knows the call says so.
    const long result = syscall(SYS_mount_setattr, -1, "", 0, nullptr, 0);
    steps.Do("mount_setattr", result < 0 && errno == ENOSYS ? -1 : 0);
  });
  add("sealed memfd", "3.17", TryMemfd);
  findings->push_back(ProbeLandlock());
}

}  // namespace cellblock::cli
