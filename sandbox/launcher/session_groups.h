// The cgroups of one session: S (limits), S/init, S/cell.N per worker; or, where the host has no
// controllers, the declared stand-ins. Says for every limit how it is enforced.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_SESSION_GROUPS_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_SESSION_GROUPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/cgroup/delegated_root.h"
#include "sandbox/spec/facility.h"
#include "sandbox/spec/limits.h"

namespace cellblock::launcher {

struct SessionGroups {
  Cgroup session;  // invalid: the host has no cgroup v2
  Cgroup init;
  bool memory_emulated = true;  // RLIMIT_DATA and the watchdog
  bool pids_emulated = true;    // RLIMIT_NPROC
  std::vector<Facility> facilities;
};

// Makes S and S/init below `run` (the run's own group) and writes the limits, each read back.
absl::StatusOr<SessionGroups> MakeSessionGroups(const DelegatedRoot& root, int run,
                                                const std::string& name, const Limits& limits);

// S/cell.N, out-of-memory killed as one.
absl::StatusOr<Cgroup> MakeCellGroup(const DelegatedRoot& root, const SessionGroups& groups,
                                     uint32_t incarnation);

// What the host can enforce, before any session: the launcher's answer to Hello.
std::vector<Facility> HostFacilities(const DelegatedRoot& root, int landlock_abi);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_SESSION_GROUPS_H_
