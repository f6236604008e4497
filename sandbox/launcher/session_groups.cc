#include "sandbox/launcher/session_groups.h"

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {
namespace {

constexpr int64_t kCpuPeriodUsec = 100000;
constexpr int64_t kUsecPerMilli = kCpuPeriodUsec / 1000;

Facility Kernel(std::string name, std::string how, std::string value = "", std::string gap = "") {
  return {std::move(name), Enforcement::kKernel, std::move(how), std::move(value), std::move(gap)};
}

// What stands in for a controller that the host does not have.
std::vector<Facility> StandIns(const DelegatedRoot& root) {
  std::vector<Facility> facilities;
  if (!root.has("memory")) {
    facilities.push_back(
        {"memory", Enforcement::kEmulated,
         "RLIMIT_DATA per process and a watchdog on the session's proportional set size", "",
         "pipe and socket buffers, and growth between two looks of the watchdog"});
  }
  if (!root.has("pids")) {
    facilities.push_back(
        {"pids", Enforcement::kEmulated, "RLIMIT_NPROC of the session's own uid", "", ""});
  }
  if (!root.has("cpu")) {
    facilities.push_back({"cpu", Enforcement::kAbsent, "", "", "a cell may use every CPU"});
  }
  return facilities;
}

absl::Status LimitMemory(SessionGroups& groups, const Limits& limits) {
  // The session's files live on a tmpfs whose pages its group pays for.
  const int64_t bytes = limits.memory_bytes + limits.disk_bytes;
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string value,
                             groups.session.Set("memory.max", absl::StrCat(bytes), true));
  // Absent where the kernel has no swap accounting; then there is no swap to limit.
  const absl::Status swap = groups.session.Set("memory.swap.max", "0").status();
  if (!swap.ok() && !absl::IsNotFound(swap)) return swap;
  groups.memory_emulated = false;
  groups.facilities.push_back(Kernel("memory", "cgroup v2 memory.max, memory.oom.group", value));
  return absl::OkStatus();
}

absl::Status LimitPids(SessionGroups& groups, const Limits& limits) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string value,
                             groups.session.Set("pids.max", absl::StrCat(limits.pids)));
  groups.pids_emulated = false;
  groups.facilities.push_back(Kernel("pids", "cgroup v2 pids.max", value));
  return absl::OkStatus();
}

absl::Status LimitCpu(SessionGroups& groups, const Limits& limits) {
  CELLBLOCK_RETURN_IF_ERROR(
      groups.session.Set("cpu.weight", absl::StrCat(limits.cpu_weight)).status());
  std::string value = "max";
  if (limits.cpu_millis > 0) {
    CELLBLOCK_ASSIGN_OR_RETURN(
        value, groups.session.Set("cpu.max", absl::StrCat(limits.cpu_millis * kUsecPerMilli, " ",
                                                          kCpuPeriodUsec)));
  }
  groups.facilities.push_back(Kernel("cpu", "cgroup v2 cpu.max, cpu.weight", value));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SessionGroups> MakeSessionGroups(const DelegatedRoot& root, int run,
                                                const std::string& name, const Limits& limits) {
  SessionGroups groups;
  groups.facilities = StandIns(root);
  if (run < 0) return groups;
  CELLBLOCK_ASSIGN_OR_RETURN(groups.session, Cgroup::Create(run, name));
  if (root.has("memory")) CELLBLOCK_RETURN_IF_ERROR(LimitMemory(groups, limits));
  if (root.has("pids")) CELLBLOCK_RETURN_IF_ERROR(LimitPids(groups, limits));
  if (root.has("cpu")) CELLBLOCK_RETURN_IF_ERROR(LimitCpu(groups, limits));
  std::vector<std::string> below;
  for (const char* controller : {"memory", "pids"}) {
    if (root.has(controller)) below.emplace_back(controller);
  }
  CELLBLOCK_RETURN_IF_ERROR(groups.session.EnableBelow(below));
  CELLBLOCK_ASSIGN_OR_RETURN(groups.init, Cgroup::Create(groups.session.dir_fd(), "init"));
  return groups;
}

absl::StatusOr<Cgroup> MakeCellGroup(const DelegatedRoot& root, const SessionGroups& groups,
                                     uint32_t incarnation) {
  CELLBLOCK_ASSIGN_OR_RETURN(
      Cgroup cell, Cgroup::Create(groups.session.dir_fd(), absl::StrCat("cell.", incarnation)));
  if (root.has("memory")) CELLBLOCK_RETURN_IF_ERROR(cell.Set("memory.oom.group", "1").status());
  return cell;
}

std::vector<Facility> HostFacilities(const DelegatedRoot& root, int landlock_abi) {
  std::vector<Facility> facilities = StandIns(root);
  for (const auto& [controller, how] : {std::pair<const char*, const char*>{"memory", "memory.max"},
                                        {"pids", "pids.max"},
                                        {"cpu", "cpu.max"}}) {
    if (root.has(controller)) {
      facilities.push_back(Kernel(controller, absl::StrCat("cgroup v2 ", how)));
    }
  }
  facilities.push_back(root.dir.valid() ? Kernel("kill", "cgroup.kill", root.description)
                                        : Facility{"kill", Enforcement::kEmulated,
                                                   "SIGKILL from init as PID 1", "", root.why_not});
  facilities.push_back(Kernel("disk", "sized tmpfs under an overlay"));
  facilities.push_back(Kernel("inodes", "nr_inodes of the same tmpfs"));
  facilities.push_back(Kernel("network", "network namespace with loopback only"));
  facilities.push_back(Kernel("syscalls", "seccomp filter"));
  facilities.push_back(
      landlock_abi > 0
          ? Kernel("landlock", "writes only in the writable places",
                   absl::StrCat("ABI ", landlock_abi))
          : Facility{"landlock", Enforcement::kAbsent, "", "",
                     "the kernel has no Landlock; mounts and ids alone decide about writes"});
  facilities.push_back(Kernel("identity", "user namespace, own host uids, no capabilities"));
  return facilities;
}

}  // namespace cellblock::launcher
