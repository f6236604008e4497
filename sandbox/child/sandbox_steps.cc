// The steps that turn a fresh clone into PID 1 of a sandbox, in their order. Runs in the child of
// the launcher's clone3 (all namespaces are already new), on its only thread, before exec.
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child/plan.h"
#include "sandbox/child/report.h"
#include "sandbox/child/shared_steps.h"

namespace cellblock::child {
namespace {

StepResult AwaitIdMaps(const SandboxPlan& plan) {
  char go;
  ssize_t count;
  do count = read(plan.go_fd, &go, 1);
  while (count < 0 && errno == EINTR);
  if (count == 1) return Done();
  errno = count == 0 ? EPIPE : errno;
  return Failed("go");
}

StepResult TakeInnerRootIds(const SandboxPlan&) {
  return SetIds(kRootId);
}

StepResult MakePropagationPrivate(const SandboxPlan&) {
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ? Done() : Failed("/");
}

StepResult AttachRoot(const SandboxPlan& plan) {
  if (syscall(SYS_move_mount, plan.root_fd, "", AT_FDCWD, plan.stage, MOVE_MOUNT_F_EMPTY_PATH) !=
      0) {
    return Failed("root");
  }
  return chdir(plan.stage) == 0 ? Done() : Failed("root");
}

// From here on the current folder is the new root, and every target is a real folder that the
// launcher made in the upper layer: no path of the image is followed.
StepResult AttachMounts(const SandboxPlan& plan) {
  for (size_t i = 0; i < plan.mount_count; ++i) {
    const MountEntry& entry = plan.mounts[i];
    if (syscall(SYS_move_mount, entry.mount_fd, "", AT_FDCWD, entry.target,
                MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return Failed(entry.target);
    }
  }
  return Done();
}

StepResult MountShm(const SandboxPlan& plan) {
  return MountSizedTmpfs("dev/shm", plan.shm_bytes, plan.shm_inodes) ? Done() : Failed("dev/shm");
}

// A fresh instance that shows this pid namespace only. Fails with EPERM where the outer /proc is
// itself masked (some container hosts).
StepResult MountProc(const SandboxPlan&) {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  return mount("proc", "proc", "proc", kFlags, nullptr) == 0 ? Done() : Failed("proc");
}

// Puts a detached copy of `source` over proc/`name`; -1 with errno.
int CoverWith(int source_folder, const char* source, int proc, const char* name) {
  const int copy = static_cast<int>(
      syscall(SYS_open_tree, source_folder, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (copy < 0) return -1;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  long result = syscall(SYS_mount_setattr, copy, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
  if (result == 0) result = syscall(SYS_move_mount, copy, "", proc, name, MOVE_MOUNT_F_EMPTY_PATH);
  const int error = errno;
  close(copy);
  errno = error;
  return static_cast<int>(result);
}

int CoverProcEntry(int proc, const ProcEntry& entry) {
  if (faccessat(proc, entry.name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  switch (entry.rule) {
    case ProcEntry::Rule::kReadOnly:
      return CoverWith(proc, entry.name, proc, entry.name);
    case ProcEntry::Rule::kMaskFile:
      return CoverWith(AT_FDCWD, "dev/null", proc, entry.name);
    case ProcEntry::Rule::kMaskFolder:
      break;
  }
  char target[64];
  snprintf(target, sizeof target, "proc/%s", entry.name);
  constexpr unsigned long kFlags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  return mount("tmpfs", target, "tmpfs", kFlags, "size=4k,nr_inodes=2,mode=0755");
}

StepResult CoverProcEntries(const SandboxPlan& plan) {
  const int proc = open("proc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (proc < 0) return Failed("proc");
  StepResult result;
  for (size_t i = 0; i < plan.proc_entry_count && result.error == 0; ++i) {
    // Not every kernel has every entry.
    if (CoverProcEntry(proc, plan.proc_entries[i]) != 0 && errno != ENOENT) {
      result = Failed(plan.proc_entries[i].name);
    }
  }
  close(proc);
  return result;
}

StepResult PivotRoot(const SandboxPlan&) {
  // The old root ends on top of the new one at ".", and is taken off from there.
  if (syscall(SYS_pivot_root, ".", ".") != 0) return Failed("pivot_root");
  if (umount2(".", MNT_DETACH) != 0) return Failed("umount old root");
  return chdir("/") == 0 ? Done() : Failed("/");
}

StepResult SetHostname(const SandboxPlan& plan) {
  return sethostname(plan.hostname, strlen(plan.hostname)) == 0 ? Done() : Failed(plan.hostname);
}

StepResult BringLoopbackUp(const SandboxPlan& plan) {
  const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0 /* NETLINK_ROUTE */);
  if (netlink < 0) return Failed("netlink socket");
  alignas(8) char answer[4096];
  ssize_t count = send(netlink, plan.loopback_request, plan.loopback_request_size, 0);
  if (count >= 0) count = recv(netlink, answer, sizeof answer, 0);
  close(netlink);
  if (count < 0) return Failed("lo");
  const int error = NetlinkAnswerError(answer, static_cast<size_t>(count));
  if (error == 0) return Done();
  errno = error;
  return Failed("lo");
}

StepResult LeaveTerminal(const SandboxPlan&) {
  return setsid() >= 0 ? Done() : Failed("session");
}
StepResult LimitResources(const SandboxPlan& plan) {
  return SetRlimits(plan.confinement);
}
StepResult DropBoundingSet(const SandboxPlan& plan) {
  return DropBounding(plan.confinement);
}
StepResult TakeCellIds(const SandboxPlan&) {
  return SetIds(kCellId);
}
StepResult DropCapabilities(const SandboxPlan& plan) {
  return DropAll(plan.confinement);
}
StepResult ForbidNewPrivileges(const SandboxPlan&) {
  return SetNoNewPrivileges();
}
StepResult DieWithLauncher(const SandboxPlan&) {
  return SetParentDeathSignal();
}
StepResult ResetSignalState(const SandboxPlan&) {
  return ResetSignals();
}

StepResult KeepOnlyInitsDescriptors(const SandboxPlan& plan) {
  const int kept[] = {plan.socket_fd, plan.lifeline_fd, plan.init_fd};
  return KeepDescriptors(kept, 3, plan.report_fd);
}

StepResult ExecInit(const SandboxPlan&) {
  // KeepDescriptors put init's memfd behind its two channels.
  constexpr int kInitFd = kInitLifelineFd + 1;
  const char* const argv[] = {"cellblock-init", nullptr};
  const char* const environment[] = {nullptr};
  SetCloseOnExec(kInitFd);
  syscall(SYS_execveat, kInitFd, "", argv, environment, AT_EMPTY_PATH);
  return Failed("cellblock-init");
}

struct Step {
  const char* name;
  StepResult (*run)(const SandboxPlan&);
};

// The order is the containment. Each line says why it stands where it does.
constexpr Step kSteps[] = {
    {"await id maps", AwaitIdMaps},             // before: no ids, so nothing can be made
    {"take inner root ids", TakeInnerRootIds},  // uid 0 of the namespace: an unprivileged host uid
    {"make mounts private", MakePropagationPrivate},  // before the first mount: none leaks out
    {"attach root", AttachRoot},                      // the overlay that the launcher made
    {"attach mounts", AttachMounts},                  // /usr, /dev, /work, /tmp, the worker
    {"mount /dev/shm", MountShm},                     // on the /dev that was just attached
    {"mount /proc", MountProc},                 // before pivot_root: needs the outer /proc visible
    {"cover /proc entries", CoverProcEntries},  // before any code of the image can run
    {"pivot_root", PivotRoot},                  // after the last mount: the host tree goes away
    {"set hostname", SetHostname},              // needs CAP_SYS_ADMIN, so before the drop
    {"bring loopback up", BringLoopbackUp},     // needs CAP_NET_ADMIN, so before the drop
    {"leave terminal", LeaveTerminal},          // no controlling terminal, own process group
    {"limit resources", LimitResources},        // only ever lowered; before the ids change
    {"drop bounding set", DropBoundingSet},     // needs CAP_SETPCAP, so before the drop
    {"take cell ids", TakeCellIds},             // needs CAP_SETUID, so before the drop
    {"drop capabilities", DropCapabilities},    // all five sets, then locked securebits
    {"forbid new privileges", ForbidNewPrivileges},  // exec can no longer raise anything
    {"die with launcher", DieWithLauncher},  // after the last change of ids, which clears it
    {"reset signals", ResetSignalState},     // nothing of the launcher's handling is inherited
    {"keep only init's descriptors", KeepOnlyInitsDescriptors},  // nothing of the host stays open
    {"exec init", ExecInit},  // init loads its own seccomp filter at once
};

}  // namespace

void BecomeInit(const SandboxPlan& plan) {
  for (const Step& step : kSteps) {
    const StepResult result = step.run(plan);
    if (result.error != 0) ReportAndExit(ReportFd(plan.report_fd), step.name, result);
  }
  _exit(1);
}

}  // namespace cellblock::child
