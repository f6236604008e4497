// All sessions of the daemon: admission, look-up by tenant, idempotent creation, expiry.
// Thread-safe.
#ifndef CELLBLOCK_DAEMON_SESSION_SESSION_REGISTRY_H_
#define CELLBLOCK_DAEMON_SESSION_SESSION_REGISTRY_H_

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "daemon/session/session.h"

namespace cellblock {

// Until access control lands, everybody is this one.
inline constexpr char kLocalTenant[] = "local";

class SessionRegistry {
 public:
  struct Limits {
    int max_sessions = 64;
    int max_running_cells = 32;
  };
  SessionRegistry(RunnerFactory factory, Limits limits, Retention retention, Clock clock);
  ~SessionRegistry();  // closes every session

  // Makes a session, or gives the live one that was made with this key ("" = no key).
  absl::StatusOr<std::shared_ptr<Session>> Create(SessionSpec spec,
                                                  const std::string& idempotency_key);
  // NOT_FOUND also for an id of another tenant.
  absl::StatusOr<std::shared_ptr<Session>> Find(const std::string& tenant, const std::string& id);
  std::vector<std::shared_ptr<Session>> List(const std::string& tenant);
  absl::StatusOr<WipeReport> Delete(const std::string& tenant, const std::string& id);
  int size() const;

  // From now on nothing new begins: Create and CheckAccepting answer UNAVAILABLE with this reason.
  void StopAccepting(const std::string& reason);
  absl::Status CheckAccepting() const;

  // Closes the sessions whose time has come and drops old results. The reaper does it every second.
  void ReapExpired();
  int RunningCells() const;
  void CancelRunningCells();
  void CloseAll();

  std::string PythonVersionOf(const std::string& image) const;

 private:
  using Key = std::pair<std::string, std::string>;  // tenant, idempotency key

  absl::StatusOr<std::shared_ptr<Session>> Admit(SessionSpec spec, const Key& key);
  absl::StatusOr<WipeReport> CloseOne(std::shared_ptr<Session> session);
  void Forget(const Session& session);
  absl::Status CheckAcceptingLocked() const;
  std::vector<std::shared_ptr<Session>> All() const;

  const RunnerFactory factory_;
  const Limits limits_;
  const Clock clock_;
  ExecutionStore executions_;
  CellSlots slots_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  std::map<Key, std::string> keys_;  // "" while the session is being made
  std::map<std::string, std::string> python_versions_;
  int making_ = 0, closing_ = 0;
  std::string stopped_;  // the reason, once nothing new is accepted
};

// Calls ReapExpired once a second on a thread of its own, until destroyed.
class Reaper {
 public:
  explicit Reaper(SessionRegistry* registry);
  ~Reaper();

 private:
  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_SESSION_REGISTRY_H_
