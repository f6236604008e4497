// The steps that put a worker into a running sandbox, in their order. The launcher has set its
// children's pid namespace to the sandbox's and cloned a middle process straight into the worker's
// cgroup leaf; the middle joins the other namespaces, forks the worker and exits, so that the
// worker is a child of init. One thread in each; no heap.
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child/landlock.h"
#include "sandbox/child/plan.h"
#include "sandbox/child/report.h"
#include "sandbox/child/shared_steps.h"

namespace cellblock::child {
namespace {

struct Step {
  const char* name;
  StepResult (*run)(const WorkerPlan&);
};

// Raising one's own score is always allowed: the kernel picks the worker before init.
StepResult PreferForOom(const WorkerPlan& plan) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return Failed("/proc/self/oom_score_adj");
  const ssize_t count = write(fd, plan.oom_score_adj, strlen(plan.oom_score_adj));
  close(fd);
  return count > 0 ? Done() : Failed("/proc/self/oom_score_adj");
}

StepResult JoinNamespaces(const WorkerPlan& plan) {
  constexpr int kAllButPid =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  return setns(plan.init_pidfd, kAllButPid) == 0 ? Done() : Failed("namespaces of init");
}

StepResult TakeInnerRootIds(const WorkerPlan&) {
  return SetIds(kRootId);
}
StepResult LimitResources(const WorkerPlan& plan) {
  return SetRlimits(plan.confinement);
}
StepResult DropBoundingSet(const WorkerPlan& plan) {
  return DropBounding(plan.confinement);
}
StepResult TakeCellIds(const WorkerPlan&) {
  return SetIds(kCellId);
}
StepResult DropCapabilities(const WorkerPlan& plan) {
  return DropAll(plan.confinement);
}
StepResult ForbidNewPrivileges(const WorkerPlan&) {
  return SetNoNewPrivileges();
}
StepResult RestrictWithLandlock(const WorkerPlan& plan) {
  return RestrictWrites(plan.landlock_abi);
}
StepResult ResetSignalState(const WorkerPlan&) {
  return ResetSignals();
}

StepResult ForkWorker(const WorkerPlan& plan) {
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid < 0) return Failed("fork");
  if (pid == 0) return Done();

  WorkerHandle handle{static_cast<int32_t>(pid)};
  iovec part{&handle, sizeof handle};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &pidfd, sizeof pidfd);
  _exit(sendmsg(plan.handle_socket, &message, MSG_NOSIGNAL) < 0 ? 1 : 0);
}

StepResult LeadSession(const WorkerPlan&) {
  return setsid() >= 0 ? Done() : Failed("session");
}

StepResult EnterWorkFolder(const WorkerPlan& plan) {
  umask(022);
  return chdir(plan.work_dir) == 0 ? Done() : Failed(plan.work_dir);
}

StepResult KeepOnlyWorkersDescriptors(const WorkerPlan& plan) {
  const int outputs[] = {plan.control_fd, plan.stdout_fd, plan.stderr_fd};
  const StepResult result = KeepDescriptors(outputs, 3, plan.report_fd);
  if (result.error != 0) return result;
  if (dup2(kWorkerControlFd + 1, 1) < 0 || dup2(kWorkerControlFd + 2, 2) < 0) {
    return Failed("output pipes");
  }
  SetCloseOnExec(kWorkerControlFd + 1);
  SetCloseOnExec(kWorkerControlFd + 2);
  return Done();
}

StepResult LoadSeccomp(const WorkerPlan& plan) {
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, plan.seccomp) == 0 ? Done()
                                                                             : Failed("filter");
}

StepResult ExecPython(const WorkerPlan& plan) {
  execve(plan.argv[0], const_cast<char* const*>(plan.argv),
         const_cast<char* const*>(plan.environment));
  return Failed(plan.argv[0]);
}

constexpr Step kSteps[] = {
    {"prefer for out-of-memory", PreferForOom},      // through the host's /proc, so before joining
    {"join namespaces", JoinNamespaces},             // root and current folder become the sandbox's
    {"take inner root ids", TakeInnerRootIds},       // no host uid is left in any id set
    {"limit resources", LimitResources},             // only ever lowered; before the ids change
    {"drop bounding set", DropBoundingSet},          // needs CAP_SETPCAP, so before the drop
    {"take cell ids", TakeCellIds},                  // needs CAP_SETUID, so before the drop
    {"drop capabilities", DropCapabilities},         // all five sets, with securebits locked
    {"forbid new privileges", ForbidNewPrivileges},  // exec can no longer raise anything
    {"reset signals", ResetSignalState},             // an ignored SIGPIPE would outlive exec
    {"fork worker", ForkWorker},                     // below runs the worker, a child of init
    {"lead session", LeadSession},                   // no terminal; interrupts go to this group
    {"enter work folder", EnterWorkFolder},          // the cells' current folder
    {"keep only worker's descriptors", KeepOnlyWorkersDescriptors},  // nothing else stays open
    {"restrict with landlock", RestrictWithLandlock},  // needs no_new_privs and the final root
    {"load seccomp filter", LoadSeccomp},              // last: set-up needs calls that it refuses
    {"exec python", ExecPython},
};

}  // namespace

void SpawnWorker(const WorkerPlan& plan) {
  for (const Step& step : kSteps) {
    const StepResult result = step.run(plan);
    if (result.error != 0) ReportAndExit(ReportFd(plan.report_fd), step.name, result);
  }
  _exit(1);
}

}  // namespace cellblock::child
