// The real CellRunner: a sandbox made by the launcher. The factory owns the connection to the
// launcher and passes its news on to the sandboxes they are about.
#ifndef CELLBLOCK_DAEMON_SESSION_SANDBOX_RUNNER_H_
#define CELLBLOCK_DAEMON_SESSION_SANDBOX_RUNNER_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "daemon/session/cell_runner.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/runtime/launcher_client.h"

namespace cellblock {

class SandboxRunner;

// Thread-safe. Outlives the runners it made.
class SandboxFactory {
 public:
  // `on_launcher_gone` is called on the launcher client's thread, once.
  SandboxFactory(UniqueFd launcher_socket, std::function<void()> on_launcher_gone);
  ~SandboxFactory();

  absl::StatusOr<HostReport> Hello();
  absl::StatusOr<std::unique_ptr<CellRunner>> Create(const RunnerSpec& spec);

 private:
  friend class SandboxRunner;
  void OnNews(const LauncherNews& news);
  void Add(uint64_t sandbox, SandboxRunner* runner);
  void Remove(uint64_t sandbox);

  const std::function<void()> on_launcher_gone_;
  std::mutex mutex_;
  std::map<uint64_t, SandboxRunner*> runners_;
  std::unique_ptr<LauncherClient> launcher_;  // last: its thread calls OnNews
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_SANDBOX_RUNNER_H_
