#include "sandbox/launcher/clone.h"

#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "sandbox/child/report.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {

absl::StatusOr<Child> CloneChild(uint64_t namespaces, int cgroup_fd,
                                 absl::FunctionRef<void()> body) {
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = namespaces | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  if (cgroup_fd >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<uint64_t>(cgroup_fd);
  }
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    body();
    _exit(1);
  }
  if (pid < 0) {
    const int error = errno;
    return StepFailed("clone3", namespaces != 0 ? "namespaces" : "worker", error,
                      error == ENOSPC ? "raise the sysctls user.max_*_namespaces" : "");
  }
  return Child{static_cast<pid_t>(pid), UniqueFd(pidfd)};
}

absl::Status AwaitReport(int report_fd, int timeout_ms) {
  pollfd polled{report_fd, POLLIN, 0};
  int ready;
  do ready = poll(&polled, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return StepFailed("await set-up", "", ready == 0 ? ETIMEDOUT : errno);
  child::SetupError report;
  ssize_t count;
  do count = read(report_fd, &report, sizeof report);
  while (count < 0 && errno == EINTR);
  if (count == 0) return absl::OkStatus();
  if (count != sizeof report) return StepFailed("read report", "", count < 0 ? errno : EPROTO);
  report.step[sizeof report.step - 1] = '\0';
  report.object[sizeof report.object - 1] = '\0';
  const std::string step = report.step;
  return StepFailed(step, report.object, report.error,
                    step == "mount /proc" && report.error == EPERM
                        ? "the host's own /proc is masked here (a container?): run the launcher "
                          "where /proc is fully visible"
                        : "");
}

void KillAndReap(const Child& child) {
  syscall(SYS_pidfd_send_signal, child.pidfd.get(), SIGKILL, nullptr, 0);
  Reap(child.pid);
}

void Reap(pid_t pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace cellblock::launcher
