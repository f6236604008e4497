// The daemon's end of the launcher's socket. One request at a time on the wire; calls from several
// threads queue. Errors carry the launcher's step, object and errno as a SetupErrorPayload.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_LAUNCHER_CLIENT_H_
#define CELLBLOCK_SANDBOX_RUNTIME_LAUNCHER_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/spec/facility.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

struct HostReport {
  std::string run_id, kernel_release;
  std::vector<Facility> facilities;
  std::vector<std::pair<std::string, std::string>> images;  // name, digest
  int leftovers_removed = 0;

  // True if the kernel enforces the facility of that name.
  bool enforces(absl::string_view name) const;
};

struct SandboxSpec {
  std::string image;
  Limits limits;
  std::string seccomp_program;  // SeccompProgram::bytes()
  bool executable_work_dir = false;
  std::string time_zone;               // IANA name, "" = UTC
  std::vector<std::string> read_only;  // folders that the operator has named, shown at /data/NAME
};

// What the launcher made. Descriptors are owned.
struct SandboxHandles {
  uint64_t id = 0;
  std::string image_digest, work_dir;
  std::vector<Facility> facilities;
  UniqueFd init_pidfd, init_socket;
  UniqueFd cgroup_dir, cgroup_kill;  // invalid without cgroups
};

struct WorkerHandles {
  int32_t pid = 0;  // inside the sandbox
  UniqueFd pidfd, control, stdout_pipe, stderr_pipe;
  UniqueFd cgroup_dir, cgroup_kill;  // of the worker's leaf; invalid without cgroups
};

struct WipeReport {
  int processes_left = 0;
  bool mounts_gone = false, cgroup_removed = false, uids_released = false;
  int64_t disk_bytes_discarded = 0;  // 0 also where init could not be asked any more
};

// Unasked news of a sandbox. Called on the client's reader thread; must not call the client.
struct LauncherNews {
  uint64_t sandbox = 0;
  enum class Kind { kMemoryWatchdog, kInitExited, kLauncherGone } kind = Kind::kInitExited;
  int64_t bytes = 0;
};

// The payload key under which an error's step, object, errno and remedy travel in absl::Status; the
// value is a serialized internal.SetupFailure.
inline constexpr char kSetupFailurePayload[] = "cellblock/setup-failure";

class LauncherClient {
 public:
  using NewsHandler = std::function<void(const LauncherNews&)>;

  // `socket` is connected to a launcher. Starts the reader thread.
  explicit LauncherClient(UniqueFd socket, NewsHandler on_news);
  ~LauncherClient();  // closing the socket makes the launcher kill everything and exit
  LauncherClient(const LauncherClient&) = delete;
  LauncherClient& operator=(const LauncherClient&) = delete;

  // All block until the launcher answers. UNAVAILABLE once it is gone.
  absl::StatusOr<HostReport> Hello();
  absl::StatusOr<SandboxHandles> CreateSandbox(const SandboxSpec& spec);
  absl::StatusOr<WorkerHandles> SpawnWorker(uint64_t sandbox, uint32_t incarnation,
                                            const std::map<std::string, std::string>& environment);
  // Everything but init, or init too.
  absl::Status KillCell(uint64_t sandbox);
  absl::Status KillSandbox(uint64_t sandbox);
  absl::StatusOr<WipeReport> DestroySandbox(uint64_t sandbox);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Starts `launcher_path` with the text-format LauncherConfig on its descriptor 4 and one end of a
// socket pair on 3; gives the other end. Call before any thread exists (it forks). The launcher's
// own words go to this process's stderr; if it dies before it serves, the first call is
// UNAVAILABLE.
absl::StatusOr<UniqueFd> StartLauncher(const std::string& launcher_path,
                                       const std::string& config_text);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_LAUNCHER_CLIENT_H_
