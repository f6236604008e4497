// Everything a child needs, made by the launcher before the clone: flat data and descriptors in the
// launcher's memory. Code in this folder runs between clone and exec: system calls only, no heap,
// no locks, no exceptions (tests/style/layers_test.py looks at the object files).
#ifndef CELLBLOCK_SANDBOX_CHILD_PLAN_H_
#define CELLBLOCK_SANDBOX_CHILD_PLAN_H_

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/capability.h>
#include <sys/resource.h>

namespace cellblock::child {

// The ids that the two mapped host uids have inside.
inline constexpr uint32_t kRootId = 0;  // builds the sandbox, owns nothing that runs
inline constexpr uint32_t kCellId = 1000;

inline constexpr int kInitSocketFd = 3;     // where init finds its socket
inline constexpr int kInitLifelineFd = 4;   // and the pipe whose end tells it to go
inline constexpr int kWorkerControlFd = 3;  // where a worker finds its control socket

struct RlimitEntry {
  int resource;
  rlim_t value;
};

// A detached mount and the folder of the new root that it goes on.
struct MountEntry {
  int mount_fd;
  const char* target;  // relative to the new root
};

// What becomes of a /proc entry.
struct ProcEntry {
  const char* name;
  enum class Rule { kMaskFile, kMaskFolder, kReadOnly } rule;
};

// Common to init and workers: how the process is stripped.
struct Confinement {
  cap_t no_capabilities;  // allocated before the clone
  int last_capability;    // of this kernel
  const RlimitEntry* rlimits;
  size_t rlimit_count;
};

struct SandboxPlan {
  int go_fd;          // one byte when the id maps are written
  int report_fd;      // close-on-exec
  const char* stage;  // an empty folder to attach the new root at
  int root_fd;        // detached overlay
  const MountEntry* mounts;
  size_t mount_count;
  const ProcEntry* proc_entries;
  size_t proc_entry_count;
  size_t shm_bytes;
  size_t shm_inodes;
  const char* hostname;
  const void* loopback_request;  // a netlink message built by libnl
  size_t loopback_request_size;
  Confinement confinement;
  int init_fd;  // sealed memfd
  int socket_fd;
  int lifeline_fd;
};

struct WorkerPlan {
  int report_fd;      // close-on-exec
  int handle_socket;  // the pidfd and the pid go to the launcher here
  int init_pidfd;     // whose namespaces are joined
  const char* oom_score_adj;
  Confinement confinement;
  int landlock_abi;  // 0: the kernel has none
  const sock_fprog* seccomp;
  const char* work_dir;
  int null_fd;  // /dev/null of the host, for descriptor 0
  int stdout_fd;
  int stderr_fd;
  int control_fd;
  const char* const* argv;
  const char* const* environment;
};

// Sent with the pidfd attached.
struct WorkerHandle {
  int32_t pid;  // inside the sandbox
};

// Both run in the cloned child and never return: they end in exec, or report and _exit(1).
[[noreturn]] void BecomeInit(const SandboxPlan& plan);
// Forks once more, so that the worker is a child of init, and exits.
[[noreturn]] void SpawnWorker(const WorkerPlan& plan);

}  // namespace cellblock::child

#endif  // CELLBLOCK_SANDBOX_CHILD_PLAN_H_
