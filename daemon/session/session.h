// One live interpreter with its files. Owns the sandbox and the thread that runs its cells, so that
// a cell depends on no RPC. Thread-safe.
//
//   Idle --Execute--> Busy --end--> Idle | InterpreterLost
//   Idle --KillInterpreter--> Busy --> InterpreterLost --Execute--> Busy
//   any  --Close--> Closing (for good)
#ifndef CELLBLOCK_DAEMON_SESSION_SESSION_H_
#define CELLBLOCK_DAEMON_SESSION_SESSION_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "daemon/session/cell_runner.h"
#include "daemon/session/execution.h"
#include "daemon/session/execution_store.h"

namespace cellblock {

// How many cells may run at one time, over all sessions.
class CellSlots {
 public:
  explicit CellSlots(int limit) : free_(limit) {}
  bool TryTake();
  void Release() { free_.fetch_add(1); }

 private:
  std::atomic<int> free_;
};

// What a session is made with. A value.
struct SessionSpec {
  std::string tenant, image, policy, policy_digest;
  RunnerSpec runner;
  CellLimits cell_limits;  // of every cell; a cell may have a shorter wall time
  absl::Duration idle_ttl, total_ttl;
  std::map<std::string, std::string> labels;
};

enum class SessionState { kIdle, kBusy, kInterpreterLost, kClosing };

struct SessionInfo {
  std::string id;
  SessionState state = SessionState::kIdle;
  int64_t epoch = 0, cells_run = 0;
  std::string running_execution_id;
  absl::Time created_at, last_used_at, idle_expires_at, expires_at;
};

struct CellSpec {
  CellRequest request;
  std::string execution_id;  // "" = one is made
  absl::Duration timeout;    // 0 = the session's limit; clamped to it
  DisconnectRule on_disconnect = DisconnectRule::kCancelCell;
};

class Session {
 public:
  struct Shared {  // outlives every session
    ExecutionStore* executions;
    CellSlots* slots;
    Clock clock;
  };
  Session(std::string id, SessionSpec spec, std::unique_ptr<CellRunner> runner, Shared shared);
  ~Session();  // closes
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& id() const { return id_; }
  const SessionSpec& spec() const { return spec_; }
  const RunnerInfo& runner_info() const { return runner_->info(); }
  SessionInfo Describe() const;

  // Starts the cell, or gives the execution that already has this id.
  absl::StatusOr<std::shared_ptr<Execution>> Execute(CellSpec cell);
  absl::StatusOr<std::shared_ptr<Execution>> FindExecution(const std::string& id);
  // Ends the interpreter and all that it started; returns when it is gone, with the epoch.
  absl::StatusOr<int64_t> KillInterpreter();
  // Interrupts the running cell, if there is one, and kills it after the grace.
  void CancelRunning();
  bool busy() const;

  // For files. The session does not idle out while one is held.
  class Use {
   public:
    explicit Use(std::shared_ptr<Session> session);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    CellRunner& files() const { return *session_->runner_; }

   private:
    const std::shared_ptr<Session> session_;
  };
  // UNAVAILABLE if the sandbox is gone.
  absl::Status CheckAlive() const;

  // When the session is to be closed if nothing happens; past = now.
  absl::Time ExpiresAt() const;

  // Kills what runs, waits for the cell thread, destroys the sandbox. Once; later calls get
  // FAILED_PRECONDITION.
  absl::StatusOr<WipeReport> Close();

 private:
  void ServeCells();
  void Run(const std::shared_ptr<Execution>& execution);
  absl::Status CheckCanRun() const;
  absl::Time ExpiresAtLocked() const;
  void StopThread();

  const std::string id_;
  const SessionSpec spec_;
  const std::unique_ptr<CellRunner> runner_;
  const Shared shared_;
  const absl::Time created_at_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Execution> running_;
  std::function<void()> job_;  // the cell thread's next piece of work
  bool working_ = false;       // a job is waiting or under way
  bool closing_ = false;
  int users_ = 0;
  int64_t cells_run_ = 0;
  absl::Time last_used_at_;
  std::thread thread_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_SESSION_H_
