#include "sandbox/launcher/worker_spawner.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/child/plan.h"
#include "sandbox/launcher/clone.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/session_disk.h"

namespace cellblock::launcher {
namespace {

constexpr int kSpawnTimeoutMs = 10000;
constexpr char kOomScoreAdj[] = "500";
constexpr size_t kMaxEnvironment = 256;
constexpr size_t kMaxEnvironmentBytes = 64 * 1024;
constexpr rlim_t kLockedMemory = 8 * 1024 * 1024;
// -s: no per-user site folder; -B: nothing is compiled into the session's quota.
constexpr const char* kArgv[] = {"/usr/bin/python3", "-s", "-B", "/opt/cellblock/worker", nullptr};

absl::Status CheckEnvironment(const std::map<std::string, std::string>& environment) {
  if (environment.size() > kMaxEnvironment) return Refused("environment", "too many variables");
  size_t bytes = 0;
  for (const auto& [name, value] : environment) {
    bytes += name.size() + value.size();
    const bool reserved = absl::StartsWith(name, "LD_") || absl::StartsWith(name, "PYTHON") ||
                          absl::StartsWith(name, "GLIBC_") || absl::StartsWith(name, "CELLBLOCK_");
    if (name.empty() || reserved || absl::StrContains(name, '=') ||
        name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
      return Refused(absl::StrCat("environment ", name), "is reserved or malformed");
    }
  }
  return bytes <= kMaxEnvironmentBytes ? absl::OkStatus() : Refused("environment", "is too large");
}

// Libraries that start a thread per CPU get as many as the session may use.
int ThreadCount(const Limits& limits, int cpu_count) {
  if (limits.cpu_millis <= 0) return std::max(1, cpu_count);
  return static_cast<int>(std::clamp<int64_t>((limits.cpu_millis + 999) / 1000, 1, cpu_count));
}

std::vector<std::string> BuildEnvironment(const Host& host, const SandboxRecord& record,
                                          uint32_t incarnation,
                                          const std::map<std::string, std::string>& extra) {
  const std::string threads = absl::StrCat(ThreadCount(record.limits, host.cpu_count));
  std::map<std::string, std::string> all = {
      {"PATH", "/usr/local/bin:/usr/bin:/bin"},
      {"HOME", kHome},
      {"USER", "cell"},
      {"LOGNAME", "cell"},
      {"LANG", "C.UTF-8"},
      {"TZ", record.time_zone.empty() ? "UTC" : record.time_zone},
      {"TMPDIR", "/tmp"},
      {"OPENBLAS_NUM_THREADS", threads},
      {"OMP_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"NUMEXPR_NUM_THREADS", threads}};
  for (const auto& [name, value] : extra) all[name] = value;
  all["CELLBLOCK_INCARNATION"] = absl::StrCat(incarnation);
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [name, value] : all) lines.push_back(absl::StrCat(name, "=", value));
  return lines;
}

std::vector<child::RlimitEntry> WorkerRlimits(const SandboxRecord& record) {
  const Limits& limits = record.limits;
  std::vector<child::RlimitEntry> rlimits = {
      {RLIMIT_CORE, 0},
      {RLIMIT_NOFILE, static_cast<rlim_t>(limits.open_files)},
      {RLIMIT_FSIZE, static_cast<rlim_t>(limits.file_size_bytes)},
      {RLIMIT_STACK, static_cast<rlim_t>(limits.stack_bytes)},
      {RLIMIT_MEMLOCK, kLockedMemory},
      {RLIMIT_MSGQUEUE, 0},
      {RLIMIT_RTPRIO, 0},
      {RLIMIT_NICE, 0},
  };
  if (record.groups.memory_emulated) {
    rlimits.push_back({RLIMIT_DATA, static_cast<rlim_t>(limits.memory_bytes)});
  }
  if (record.groups.pids_emulated) {
    rlimits.push_back({RLIMIT_NPROC, static_cast<rlim_t>(limits.pids)});
  }
  return rlimits;
}

struct WorkerChannels {
  UniqueFd control, control_far, out, out_far, err, err_far, handle, handle_far, report, report_far;
};

absl::StatusOr<WorkerChannels> MakeChannels() {
  WorkerChannels channels;
  CELLBLOCK_ASSIGN_OR_RETURN(auto control, SocketPair());
  CELLBLOCK_ASSIGN_OR_RETURN(auto out, Pipe());
  CELLBLOCK_ASSIGN_OR_RETURN(auto err, Pipe());
  CELLBLOCK_ASSIGN_OR_RETURN(auto handle, SocketPair());
  CELLBLOCK_ASSIGN_OR_RETURN(auto report, Pipe());
  std::tie(channels.control, channels.control_far) = std::move(control);
  std::tie(channels.out, channels.out_far) = std::move(out);
  std::tie(channels.err, channels.err_far) = std::move(err);
  std::tie(channels.handle, channels.handle_far) = std::move(handle);
  std::tie(channels.report, channels.report_far) = std::move(report);
  return channels;
}

// Clones the middle process with the sandbox's pid namespace for it and its children.
absl::StatusOr<Child> CloneIntoSandbox(Host& host, const SandboxRecord& record, int group,
                                       const child::WorkerPlan& plan) {
  if (setns(record.init_pidfd.get(), CLONE_NEWPID) != 0) {
    return StepFailed("join pid namespace", "init", errno);
  }
  const auto back = absl::MakeCleanup([&host] {
    // Without its own pid namespace the launcher would put strangers into the sandbox.
    if (setns(host.own_pid_namespace.get(), CLONE_NEWPID) != 0) _exit(1);
  });
  return CloneChild(0, group, [&plan] { child::SpawnWorker(plan); });
}

absl::Status ReceiveHandle(int socket, NewWorker* worker) {
  CELLBLOCK_ASSIGN_OR_RETURN(Datagram datagram,
                             ReceiveDatagram(socket, sizeof(child::WorkerHandle), 1, MSG_DONTWAIT));
  if (datagram.data.size() != sizeof(child::WorkerHandle) || datagram.fds.size() != 1) {
    return StepFailed("receive worker's handle", "", EPROTO);
  }
  child::WorkerHandle handle;
  memcpy(&handle, datagram.data.data(), sizeof handle);
  worker->pid = handle.pid;
  worker->pidfd = std::move(datagram.fds[0]);
  return absl::OkStatus();
}

std::vector<const char*> Pointers(const std::vector<std::string>& lines) {
  std::vector<const char*> pointers;
  for (const std::string& line : lines) pointers.push_back(line.c_str());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

absl::StatusOr<NewWorker> AddWorker(Host& host, SandboxRecord& record, uint32_t incarnation,
                                    const std::map<std::string, std::string>& environment) {
  if (incarnation <= record.incarnation) {
    return Refused("incarnation", absl::StrCat("must be above ", record.incarnation));
  }
  CELLBLOCK_RETURN_IF_ERROR(CheckEnvironment(environment));
  int group = -1;
  if (record.groups.session.valid()) {
    CELLBLOCK_ASSIGN_OR_RETURN(Cgroup cell,
                               MakeCellGroup(host.cgroup_root, record.groups, incarnation));
    group = cell.dir_fd();
    // Groups of dead workers are empty by now; one that is not is removed with the session.
    for (auto& [number, old] : record.cells) {
      RemoveCgroupTree(record.groups.session.dir_fd(), old.name(), 0).IgnoreError();
    }
    record.cells.clear();
    record.cells.emplace(incarnation, std::move(cell));
  }
  record.incarnation = incarnation;

  const std::vector<std::string> lines = BuildEnvironment(host, record, incarnation, environment);
  const std::vector<const char*> pointers = Pointers(lines);
  const std::vector<child::RlimitEntry> rlimits = WorkerRlimits(record);
  const absl::Span<const sock_filter> code = record.seccomp.instructions();
  const sock_fprog filter{static_cast<unsigned short>(code.size()),
                          const_cast<sock_filter*>(code.data())};
  CELLBLOCK_ASSIGN_OR_RETURN(WorkerChannels channels, MakeChannels());
  const child::WorkerPlan plan{
      channels.report_far.get(),
      channels.handle_far.get(),
      record.init_pidfd.get(),
      kOomScoreAdj,
      {host.no_capabilities.get(), host.last_capability, rlimits.data(), rlimits.size()},
      host.landlock_abi,
      &filter,
      kWorkDir,
      host.null_device.get(),
      channels.out_far.get(),
      channels.err_far.get(),
      channels.control_far.get(),
      kArgv,
      pointers.data()};
  CELLBLOCK_ASSIGN_OR_RETURN(const Child middle, CloneIntoSandbox(host, record, group, plan));
  channels.report_far.reset();
  channels.handle_far.reset();
  const absl::Status report = AwaitReport(channels.report.get(), kSpawnTimeoutMs);
  if (!report.ok())
    KillAndReap(middle);
  else
    Reap(middle.pid);
  CELLBLOCK_RETURN_IF_ERROR(report);

  NewWorker worker;
  CELLBLOCK_RETURN_IF_ERROR(
      AtStep("receive worker's handle", ReceiveHandle(channels.handle.get(), &worker)));
  worker.control = std::move(channels.control);
  worker.stdout_pipe = std::move(channels.out);
  worker.stderr_pipe = std::move(channels.err);
  return worker;
}

}  // namespace cellblock::launcher
