// Finds the cgroup v2 directory that a launcher may use, and what the host can enforce in it.
//
// Three kinds of host: the unified hierarchy (all controllers), a hybrid host whose controllers are
// bound to v1 (a private cgroup2 mount still gives cgroup.kill, cgroup.freeze and CPU usage), and a
// host with neither. Nothing here touches v1.
#ifndef CELLBLOCK_SANDBOX_CGROUP_DELEGATED_ROOT_H_
#define CELLBLOCK_SANDBOX_CGROUP_DELEGATED_ROOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

struct DelegatedRoot {
  UniqueFd dir;                          // invalid: no cgroup v2 at all
  std::vector<std::string> controllers;  // that groups made below `dir` have: memory, pids, cpu, io
  std::string description;               // for reports, e.g. "/sys/fs/cgroup"
  std::string why_not;                   // what is missing and why, "" if nothing is

  bool has(const std::string& controller) const;
};

// `wanted`: "" = the top of the hierarchy, "self" = the launcher's own delegated group (it moves
// itself into a leaf first), else a path below the hierarchy's top. `private_mount` is an empty
// folder in the launcher's own mount namespace, used where /sys/fs/cgroup is not cgroup2.
absl::StatusOr<DelegatedRoot> FindDelegatedRoot(const std::string& wanted,
                                                const std::string& private_mount);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_CGROUP_DELEGATED_ROOT_H_
