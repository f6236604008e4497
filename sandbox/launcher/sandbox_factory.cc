#include "sandbox/launcher/sandbox_factory.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/child/plan.h"
#include "sandbox/launcher/clone.h"
#include "sandbox/launcher/copy_tree.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/image.h"
#include "sandbox/launcher/session_disk.h"

namespace cellblock::launcher {
namespace {

constexpr uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr int kSetUpTimeoutMs = 10000;
constexpr rlim_t kInitOpenFiles = 256;
constexpr size_t kShmInodes = 4096;

using Rule = child::ProcEntry::Rule;
// The masked and read-only entries of the OCI runtime specification's defaults, and those that tell
// of the host: keys, configuration, interrupts, memory.
constexpr child::ProcEntry kProcEntries[] = {
    {"acpi", Rule::kMaskFolder},
    {"asound", Rule::kMaskFolder},
    {"scsi", Rule::kMaskFolder},
    {"driver", Rule::kMaskFolder},
    {"dynamic_debug", Rule::kMaskFolder},
    {"kcore", Rule::kMaskFile},
    {"keys", Rule::kMaskFile},
    {"key-users", Rule::kMaskFile},
    {"latency_stats", Rule::kMaskFile},
    {"timer_list", Rule::kMaskFile},
    {"timer_stats", Rule::kMaskFile},
    {"sched_debug", Rule::kMaskFile},
    {"kallsyms", Rule::kMaskFile},
    {"config.gz", Rule::kMaskFile},
    {"interrupts", Rule::kMaskFile},
    {"slabinfo", Rule::kMaskFile},
    {"kpagecount", Rule::kMaskFile},
    {"kpageflags", Rule::kMaskFile},
    {"kpagecgroup", Rule::kMaskFile},
    {"kmsg", Rule::kMaskFile},
    {"vmallocinfo", Rule::kMaskFile},
    {"modules", Rule::kMaskFile},
    {"sysrq-trigger", Rule::kMaskFile},
    {"cmdline", Rule::kMaskFile},
    {"iomem", Rule::kMaskFile},
    {"ioports", Rule::kMaskFile},
    {"mtrr", Rule::kMaskFile},
    {"bus", Rule::kReadOnly},
    {"fs", Rule::kReadOnly},
    {"irq", Rule::kReadOnly},
    {"sys", Rule::kReadOnly},
};

struct Channels {
  UniqueFd daemon_socket, init_socket;
  UniqueFd lifeline_read, lifeline_write;
  UniqueFd go_read, go_write;
  UniqueFd report_read, report_write;
};

absl::StatusOr<Channels> MakeChannels() {
  Channels channels;
  CELLBLOCK_ASSIGN_OR_RETURN(auto sockets, SocketPair());
  CELLBLOCK_ASSIGN_OR_RETURN(auto lifeline, Pipe());
  CELLBLOCK_ASSIGN_OR_RETURN(auto go, Pipe());
  CELLBLOCK_ASSIGN_OR_RETURN(auto report, Pipe());
  std::tie(channels.daemon_socket, channels.init_socket) = std::move(sockets);
  std::tie(channels.lifeline_read, channels.lifeline_write) = std::move(lifeline);
  std::tie(channels.go_read, channels.go_write) = std::move(go);
  std::tie(channels.report_read, channels.report_write) = std::move(report);
  return channels;
}

absl::Status CheckLimits(const Limits& limits, const Limits& ceiling) {
  for (const CeilingPair& pair : WithCeiling(limits, ceiling)) {
    if (pair.value < 0 || (pair.value == 0 && !pair.zero_is_all)) {
      return Refused(pair.field, "must be more than 0");
    }
    if (pair.above()) {
      return Refused(pair.field, absl::StrCat("is above the operator's ceiling of ", pair.ceiling));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteIdMaps(pid_t pid, const UidPair& uids) {
  const UniqueFd proc(
      open(absl::StrCat("/proc/", pid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.valid()) return StepFailed("open", "/proc of init", errno);
  const std::string map = absl::StrCat(child::kRootId, " ", uids.inner_root, " 1\n", child::kCellId,
                                       " ", uids.cell, " 1\n");
  CELLBLOCK_RETURN_IF_ERROR(AtStep("deny setgroups", WriteFileAt(proc.get(), "setgroups", "deny")));
  CELLBLOCK_RETURN_IF_ERROR(AtStep("write uid map", WriteFileAt(proc.get(), "uid_map", map)));
  return AtStep("write gid map", WriteFileAt(proc.get(), "gid_map", map));
}

std::vector<child::RlimitEntry> InitRlimits(const Limits& limits) {
  return {{RLIMIT_CORE, 0},
          {RLIMIT_NOFILE, kInitOpenFiles},
          {RLIMIT_FSIZE, static_cast<rlim_t>(limits.file_size_bytes)},
          {RLIMIT_MSGQUEUE, 0}};
}

// Clones init and takes it through its steps.
absl::Status StartInit(Host& host, const SessionDisk& disk, SandboxRecord& record,
                       Channels& channels) {
  std::vector<child::MountEntry> mounts;
  for (const TargetMount& mount : disk.mounts) {
    mounts.push_back({mount.mount.get(), mount.target.c_str()});
  }
  const std::vector<child::RlimitEntry> rlimits = InitRlimits(record.limits);
  const child::SandboxPlan plan{
      channels.go_read.get(),
      channels.report_write.get(),
      host.stage.root.c_str(),
      disk.root.get(),
      mounts.data(),
      mounts.size(),
      kProcEntries,
      std::size(kProcEntries),
      static_cast<size_t>(record.limits.shm_bytes),
      kShmInodes,
      kHostname,
      host.loopback_request.data(),
      host.loopback_request.size(),
      {host.no_capabilities.get(), host.last_capability, rlimits.data(), rlimits.size()},
      host.init_program.get(),
      channels.init_socket.get(),
      channels.lifeline_read.get()};
  const int group = record.groups.init.valid() ? record.groups.init.dir_fd() : -1;
  const int go_write = channels.go_write.get();
  CELLBLOCK_ASSIGN_OR_RETURN(Child init, CloneChild(kNamespaces, group, [&plan, go_write] {
                               close(go_write);  // so that the launcher's death ends the wait
                               child::BecomeInit(plan);
                             }));
  auto kill_init = absl::MakeCleanup([&init] { KillAndReap(init); });
  channels.report_write.reset();
  CELLBLOCK_RETURN_IF_ERROR(WriteIdMaps(init.pid, record.uids));
  CELLBLOCK_RETURN_IF_ERROR(AtStep("let init go", WriteAll(channels.go_write.get(), "g")));
  CELLBLOCK_RETURN_IF_ERROR(AwaitReport(channels.report_read.get(), kSetUpTimeoutMs));
  std::move(kill_init).Cancel();
  record.init_pid = init.pid;
  record.init_pidfd = std::move(init.pidfd);
  return absl::OkStatus();
}

// The image's prepared cache (fonts), copied into the workshop at its first use; "" if there is
// none.
absl::StatusOr<std::string> CacheOf(const Host& host, const std::string& digest) {
  const std::string copy = absl::StrCat(host.stage.caches, "/", digest);
  struct stat status;
  if (stat(copy.c_str(), &status) == 0) return copy;
  const std::string source = absl::StrCat(host.settings.state_dir, "/cache/", digest);
  if (host.settings.state_dir.empty() || lstat(source.c_str(), &status) != 0 ||
      !S_ISDIR(status.st_mode)) {
    return std::string();
  }
  CELLBLOCK_RETURN_IF_ERROR(CopyTree(source, copy));
  return copy;
}

// The operator's folders of these names; each name at most once.
absl::StatusOr<std::vector<ShownFolder>> OpenShown(const Settings& settings,
                                                   const std::vector<std::string>& names) {
  std::vector<ShownFolder> shown;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    const auto root = settings.read_only_roots.find(name);
    if (root == settings.read_only_roots.end() || !seen.insert(name).second) {
      return Refused("read_only", "is no folder that the operator has named, or is there twice");
    }
    UniqueFd folder(open(root->second.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.valid()) return StepFailed("open read-only folder", root->second, errno);
    shown.push_back({name, std::move(folder)});
  }
  return shown;
}

}  // namespace

absl::StatusOr<NewSandbox> BuildSandbox(Host& host, uint64_t id, SandboxRequest request) {
  CELLBLOCK_RETURN_IF_ERROR(CheckLimits(request.limits, host.settings.ceiling));
  CELLBLOCK_ASSIGN_OR_RETURN(std::vector<ShownFolder> shown,
                             OpenShown(host.settings, request.read_only));
  CELLBLOCK_ASSIGN_OR_RETURN(
      const Image image,
      ImageStore::IsName(request.image)
          ? host.images.Open(request.image)
          : OpenImage(request.image, host.settings, host.stage.host, host.host_image_digest));
  NewSandbox result;
  result.image_digest = image.digest;
  result.record = std::make_unique<SandboxRecord>();
  SandboxRecord& record = *result.record;
  record.id = id;
  record.limits = request.limits;
  record.time_zone = std::move(request.time_zone);
  record.seccomp = std::move(request.seccomp);
  record.cgroup_name = absl::StrCat("s", id);
  CELLBLOCK_ASSIGN_OR_RETURN(record.uids, host.uids.Take());
  auto undo = absl::MakeCleanup([&host, &record] {
    if (record.groups.session.valid()) {
      RemoveCgroupTree(host.run_group.dir_fd(), record.cgroup_name, 2000).IgnoreError();
    }
    host.uids.Release(record.uids);
  });
  CELLBLOCK_ASSIGN_OR_RETURN(
      record.groups,
      MakeSessionGroups(host.cgroup_root, host.run_group.valid() ? host.run_group.dir_fd() : -1,
                        record.cgroup_name, record.limits));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string cache, CacheOf(host, image.digest));
  CELLBLOCK_ASSIGN_OR_RETURN(
      const SessionDisk disk,
      MakeSessionDisk(image,
                      {request.limits.disk_bytes, request.limits.disk_inodes,
                       request.executable_work_dir, host.stage.worker, cache, std::move(shown)},
                      host.stage, record.uids));
  CELLBLOCK_ASSIGN_OR_RETURN(Channels channels, MakeChannels());
  CELLBLOCK_RETURN_IF_ERROR(StartInit(host, disk, record, channels));
  record.lifeline = std::move(channels.lifeline_write);
  result.init_socket = std::move(channels.daemon_socket);
  std::move(undo).Cancel();
  return result;
}

}  // namespace cellblock::launcher
