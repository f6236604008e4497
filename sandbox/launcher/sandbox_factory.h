// Builds sandboxes: takes uids, makes the groups and the disk, clones init into all namespaces and
// waits until it runs. Whatever fails, nothing is left behind.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_SANDBOX_FACTORY_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_SANDBOX_FACTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/launcher/host.h"
#include "sandbox/launcher/sandbox_record.h"

namespace cellblock::launcher {

struct SandboxRequest {
  std::string image;
  Limits limits;
  SeccompProgram seccomp;
  bool executable_work_dir = false;
  std::string time_zone;
  std::vector<std::string> read_only;  // names of the operator's read_only_roots
};

struct NewSandbox {
  std::unique_ptr<SandboxRecord> record;
  std::string image_digest;
  UniqueFd init_socket;  // the daemon's end
};

absl::StatusOr<NewSandbox> BuildSandbox(Host& host, uint64_t id, SandboxRequest request);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_SANDBOX_FACTORY_H_
