// What is set up once when the launcher starts and used by every request: the settings, the run,
// the workshop, the uid slots, the cgroup root and the things that are built beforehand for the
// clone.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_HOST_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_HOST_H_

#include <sys/capability.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/cgroup/delegated_root.h"
#include "sandbox/launcher/image_store.h"
#include "sandbox/launcher/run_dir.h"
#include "sandbox/launcher/settings.h"
#include "sandbox/launcher/stage.h"
#include "sandbox/launcher/uid_slots.h"

namespace cellblock::launcher {

struct FreeCapabilities {
  void operator()(cap_t state) const { cap_free(state); }
};
using Capabilities = std::unique_ptr<std::remove_pointer_t<cap_t>, FreeCapabilities>;

struct Host {
  Settings settings;
  RunDir run;
  Stage stage;
  UidSlots uids;
  ImageStore images;
  DelegatedRoot cgroup_root;
  Cgroup run_group;  // invalid without cgroup v2
  int leftovers_removed = 0;
  std::string host_image_digest;  // "" if the host image is off

  UniqueFd init_program;  // sealed memfd of cellblock-init
  UniqueFd own_pid_namespace;
  UniqueFd null_device;
  std::string loopback_request;
  Capabilities no_capabilities;
  int last_capability = 0;
  int landlock_abi = 0;  // 0: the kernel has none
  int cpu_count = 1;
};

// In order: run folder and lock, workshop, cgroup root (REQUIRED mode fails here and names what is
// missing), leftovers of dead runs, then what sandboxes are made of.
absl::StatusOr<std::unique_ptr<Host>> SetUpHost(const Settings& settings);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_HOST_H_
