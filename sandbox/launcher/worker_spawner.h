// Puts a Python worker into a running sandbox (sandbox/child/worker_steps.cc).
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_WORKER_SPAWNER_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_WORKER_SPAWNER_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/launcher/host.h"
#include "sandbox/launcher/sandbox_record.h"

namespace cellblock::launcher {

struct NewWorker {
  int32_t pid = 0;  // inside the sandbox
  UniqueFd pidfd, control, stdout_pipe, stderr_pipe;
};

// `incarnation` must be larger than any before it in this sandbox.
absl::StatusOr<NewWorker> AddWorker(Host& host, SandboxRecord& record, uint32_t incarnation,
                                    const std::map<std::string, std::string>& environment);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_WORKER_SPAWNER_H_
