// How the daemon ends: what asks it to, and the drain that follows. Main thread.
#ifndef CELLBLOCK_DAEMON_STARTUP_STOPPING_H_
#define CELLBLOCK_DAEMON_STARTUP_STOPPING_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "daemon/service/server.h"
#include "daemon/session/session_registry.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

enum class StopCause { kNone, kSignal, kLifelineEnded, kLauncherGone };

// SIGTERM and SIGINT, the end of the lifeline pipe of an embedded daemon, and the launcher's death.
class StopWatch {
 public:
  // Blocks the signals for this thread and all that it starts from now on: create it before any
  // other thread. `lifeline_fd` -1 = none.
  static absl::StatusOr<StopWatch> Create(int lifeline_fd);

  void NoteLauncherGone();  // thread-safe
  // The first cause to come by `deadline`, else kNone. A signal is taken; the others stay.
  StopCause Wait(absl::Time deadline);

 private:
  StopWatch(UniqueFd signals, UniqueFd launcher_gone, UniqueFd lifeline);
  UniqueFd signals_, launcher_gone_, lifeline_;
};

// Waits for a cause, drains accordingly and gives the process's exit status: 0, or 3 when the
// launcher was lost. A signal lets running cells go on until `drain_deadline`, then cancels them;
// a second signal, or the end of the lifeline, ends all at once.
int ServeUntilStopped(StopWatch* watch, SessionRegistry* registry, RpcServer* server,
                      absl::Duration drain_deadline);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_STARTUP_STOPPING_H_
