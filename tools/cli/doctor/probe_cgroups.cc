// cgroup v2: whether limits are the kernel's own, or only stand-ins. Never touches a v1 mount.
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/io.h"
#include "tools/cli/doctor/probe.h"

namespace cellblock::cli {
namespace {

constexpr char kSystemMount[] = "/sys/fs/cgroup";
constexpr char kUnifiedRemedy[] =
    "boot with systemd.unified_cgroup_hierarchy=1 on the kernel's command line (the default of "
    "current distributions); until then limits are emulated";
constexpr const char* kControllers[] = {"memory", "pids", "cpu", "io"};

bool IsUnified() {
  struct statfs status;
  return statfs(kSystemMount, &status) == 0 &&
         static_cast<unsigned long>(status.f_type) == CGROUP2_SUPER_MAGIC;
}

// Where the v2 hierarchy can be seen: its mount, or one that only this child has. Check the steps.
const char* SeeHierarchy(Steps& steps) {
  if (IsUnified()) return kSystemMount;
  const bool seen =
      steps.Do("unshare", unshare(CLONE_NEWNS)) &&
      steps.Do("make mounts private", mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr)) &&
      steps.Do("mount cgroup2",
               mount("none", "/tmp", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
  return seen ? "/tmp" : "";
}

// One bit for each controller that groups of the hierarchy can have.
void TryControllers(Steps& steps) {
  const std::string top = SeeHierarchy(steps);
  if (steps.error() != 0) return;
  const auto text = ReadFile(top + "/cgroup.controllers");
  if (!steps.Do("read cgroup.controllers", text.ok() ? 0 : -1)) return;
  long found = 0;
  for (absl::string_view word : absl::StrSplit(*text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    for (size_t i = 0; i < std::size(kControllers); ++i) {
      if (word == kControllers[i]) found |= 1L << i;
    }
  }
  steps.set_value(found);
}

// A child born in a group of its own, ended by cgroup.kill.
void TryKill(Steps& steps) {
  const std::string group = absl::StrCat(SeeHierarchy(steps), "/cellblock-doctor-", getpid());
  if (steps.error() != 0 || !steps.Do("make group", mkdir(group.c_str(), 0755))) return;
  clone_args args = {};
  args.flags = CLONE_INTO_CGROUP;
  args.exit_signal = SIGCHLD;
  const int dir = open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  args.cgroup = static_cast<uint64_t>(dir);
  const long child = syscall(SYS_clone3, &args, sizeof args);
  if (child == 0) {
    while (true) pause();
  }
  if (steps.Do("clone3 into a group", child)) {
    const int kill_fd = openat(dir, "cgroup.kill", O_WRONLY | O_CLOEXEC);
    if (!steps.Do("open cgroup.kill", kill_fd) ||
        !steps.Do("write cgroup.kill", write(kill_fd, "1", 1))) {
      kill(static_cast<pid_t>(child), SIGKILL);
    }
    waitpid(static_cast<pid_t>(child), nullptr, 0);
  }
  rmdir(group.c_str());
}

std::string WhyMissing(const std::string& controller) {
  // Format: name, hierarchy (0: the unified one), groups, enabled.
  const auto text = ReadFile("/proc/cgroups");
  if (!text.ok()) return "not in cgroup.controllers";
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<absl::string_view> fields =
        absl::StrSplit(line, absl::ByAnyChar("\t "), absl::SkipEmpty());
    const std::string name = controller == "io" ? "blkio" : controller;
    if (fields.size() < 4 || fields[0] != name) continue;
    if (fields[3] == "0") return "switched off on the kernel's command line";
    return fields[1] == "0" ? "not handed to this group" : "bound to cgroup v1";
  }
  return "the kernel has it not, or it is bound to v1";
}

const char* StandIn(const std::string& controller) {
  if (controller == "memory") return "RLIMIT_DATA and a watchdog stand in";
  if (controller == "pids") return "RLIMIT_NPROC stands in";
  return "nothing stands in";
}

void AddControllers(Findings* findings, const Attempt& attempt) {
  for (size_t i = 0; i < std::size(kControllers); ++i) {
    const std::string name = kControllers[i];
    const std::string title = absl::StrCat("cgroup controller ", name);
    if (attempt.ok() && (attempt.value >> i & 1) != 0) {
      findings->push_back({title, Level::kOk, "available", ""});
      continue;
    }
    const std::string why = WhyMissing(name);
    const bool bound = why == "bound to cgroup v1";
    findings->push_back({title, Level::kWarning, absl::StrCat(why, "; ", StandIn(name)),
                         bound || !attempt.ok()
                             ? kUnifiedRemedy
                             : "give this group the controller: Delegate=yes in its unit, or "
                               "`--cgroupns=host` and a writable /sys/fs/cgroup for a container"});
  }
}

}  // namespace

void ProbeCgroups(Findings* findings) {
  const Attempt attempt = TryInChild(TryControllers);
  findings->push_back({"cgroup v2", attempt.ok() ? Level::kOk : Level::kWarning,
                       !attempt.ok() ? attempt.Text()
                       : IsUnified() ? "the unified hierarchy"
                                     : "seen through a private mount beside cgroup v1",
                       attempt.ok() ? "" : kUnifiedRemedy});
  AddControllers(findings, attempt);
  AddAttempt(findings, "cgroup.kill", TryInChild(TryKill), Level::kWarning,
             "needs Linux 5.14 and a writable cgroup v2 hierarchy; without it sandboxes are ended "
             "by killing their init");
}

}  // namespace cellblock::cli
