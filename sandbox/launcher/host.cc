#include "sandbox/launcher/host.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/child/landlock.h"
#include "sandbox/launcher/copy_tree.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/image.h"
#include "sandbox/net/loopback.h"

namespace cellblock::launcher {
namespace {

// A sealed copy: nobody can write the program that runs as PID 1, whatever happens to the file.
absl::StatusOr<UniqueFd> SealProgram(const std::string& path) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string program, ReadFile(path));
  UniqueFd memory(memfd_create("cellblock-init", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid()) return StepFailed("memfd_create", "cellblock-init", errno);
  CELLBLOCK_RETURN_IF_ERROR(WriteAll(memory.get(), program));
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (fcntl(memory.get(), F_ADD_SEALS, kSeals) != 0) return StepFailed("seal", path, errno);
  // Reopened for reading only: a program that is open for writing cannot be executed.
  UniqueFd sealed(open(absl::StrCat("/proc/self/fd/", memory.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!sealed.valid()) return StepFailed("reopen", "cellblock-init", errno);
  return sealed;
}

absl::Status SetUpCgroups(Host& host) {
  CELLBLOCK_ASSIGN_OR_RETURN(host.cgroup_root,
                             FindDelegatedRoot(host.settings.cgroup_root, host.stage.cgroup));
  if (host.settings.cgroups_required) {
    for (const char* controller : {"memory", "pids", "cpu"}) {
      if (host.cgroup_root.has(controller)) continue;
      return StepFailed("require cgroup controller", controller, ENOTSUP,
                        absl::StrCat(host.cgroup_root.why_not,
                                     "; boot with systemd.unified_cgroup_hierarchy=1 and set "
                                     "Delegate=yes, or set cgroup_mode: BEST_EFFORT"));
    }
  }
  const int root = host.cgroup_root.dir.valid() ? host.cgroup_root.dir.get() : -1;
  host.leftovers_removed = RemoveDeadRuns(host.settings.run_dir, host.run, root);
  if (root < 0) return absl::OkStatus();
  CELLBLOCK_ASSIGN_OR_RETURN(host.run_group, Cgroup::Create(root, RunCgroupName(host.run.id)));
  return host.run_group.EnableBelow(host.cgroup_root.controllers);
}

absl::Status BuildBeforehand(Host& host) {
  CELLBLOCK_ASSIGN_OR_RETURN(host.init_program, SealProgram(host.settings.init_path));
  CELLBLOCK_ASSIGN_OR_RETURN(host.loopback_request, BuildLoopbackUpRequest());
  host.no_capabilities = Capabilities(cap_init());
  if (host.no_capabilities == nullptr) return StepFailed("cap_init", "", errno);
  host.last_capability = cap_max_bits() - 1;
  host.landlock_abi = child::LandlockAbi();
  host.own_pid_namespace = UniqueFd(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  host.null_device = UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!host.own_pid_namespace.valid()) return StepFailed("open", "/proc/self/ns/pid", errno);
  if (!host.null_device.valid()) return StepFailed("open", "/dev/null", errno);
  host.cpu_count = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Host>> SetUpHost(const Settings& settings) {
  CELLBLOCK_ASSIGN_OR_RETURN(RunDir run, MakeRunDir(settings.run_dir));
  CELLBLOCK_ASSIGN_OR_RETURN(Stage stage, MakeStage(absl::StrCat(run.path, "/stage")));
  CELLBLOCK_ASSIGN_OR_RETURN(
      UidSlots uids, UidSlots::Open(absl::StrCat(settings.run_dir, "/uids.lock"), settings.uid_base,
                                    settings.uid_count));
  ImageStore images(settings.image_store, stage.images);
  std::unique_ptr<Host> host(
      new Host{settings, std::move(run), std::move(stage), std::move(uids), std::move(images)});
  CELLBLOCK_RETURN_IF_ERROR(AtStep("set up cgroups", SetUpCgroups(*host)));
  CELLBLOCK_RETURN_IF_ERROR(AtStep("prepare", BuildBeforehand(*host)));
  CELLBLOCK_RETURN_IF_ERROR(CopyTree(settings.worker_dir, host->stage.worker));
  if (settings.host_image) {
    CELLBLOCK_RETURN_IF_ERROR(BuildHostRoot(host->stage.host));
    CELLBLOCK_ASSIGN_OR_RETURN(host->host_image_digest, HostImageDigest());
  }
  return host;
}

}  // namespace cellblock::launcher
