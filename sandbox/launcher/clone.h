// clone3 with what every child of the launcher needs: a pidfd, a cgroup at birth, and a pipe on
// which it reports the step that failed.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_CLONE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_CLONE_H_

#include <sys/types.h>

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::launcher {

struct Child {
  pid_t pid = 0;
  UniqueFd pidfd;
};

// `body` runs in the child and never returns. `cgroup_fd` -1: the launcher's own group.
absl::StatusOr<Child> CloneChild(uint64_t namespaces, int cgroup_fd,
                                 absl::FunctionRef<void()> body);

// Waits until the report pipe ends. OK if the child execed (or exited well); else its own report,
// or DEADLINE_EXCEEDED.
absl::Status AwaitReport(int report_fd, int timeout_ms);

// Kills (harmless if it is gone) and reaps.
void KillAndReap(const Child& child);
// Reaps a child that is known to end soon.
void Reap(pid_t pid);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_CLONE_H_
