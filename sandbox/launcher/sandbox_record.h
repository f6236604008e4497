// What the launcher remembers of one sandbox. It owns the uids, the groups and init; the mounts lie
// in the sandbox's own namespace and go with its last process.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_SANDBOX_RECORD_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_SANDBOX_RECORD_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sandbox/base/unique_fd.h"
#include "sandbox/launcher/session_groups.h"
#include "sandbox/launcher/uid_slots.h"
#include "sandbox/seccomp/program.h"
#include "sandbox/spec/limits.h"

namespace cellblock::launcher {

struct SandboxRecord {
  uint64_t id = 0;
  UidPair uids;
  Limits limits;
  std::string time_zone;
  std::string cgroup_name;
  SeccompProgram seccomp;
  SessionGroups groups;
  std::map<uint32_t, Cgroup> cells;  // by incarnation; only the last one has processes
  uint32_t incarnation = 0;
  pid_t init_pid = 0;
  UniqueFd init_pidfd;
  UniqueFd lifeline;  // write end: init leaves when it closes
  bool init_reaped = false;
  bool dying = false;
  std::vector<uint64_t> destroy_replies;  // request ids that wait for the end
};

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_SANDBOX_RECORD_H_
