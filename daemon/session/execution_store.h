// Every execution that can still be asked for, of all sessions: running ones, and ended ones for a
// while and within a budget of bytes, least recently read first out. Thread-safe.
#ifndef CELLBLOCK_DAEMON_SESSION_EXECUTION_STORE_H_
#define CELLBLOCK_DAEMON_SESSION_EXECUTION_STORE_H_

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "daemon/session/execution.h"

namespace cellblock {

struct Retention {
  absl::Duration time = absl::Minutes(10);
  int64_t bytes = int64_t{256} << 20;
};

class ExecutionStore {
 public:
  ExecutionStore(Retention retention, Clock clock);

  // Null if there is none (any more). Counts as a read.
  std::shared_ptr<Execution> Find(const std::string& session_id, const std::string& id);
  // True if `id` ran in this session but is no longer kept: it must not run again.
  bool RanBefore(const std::string& session_id, const std::string& id);

  void Add(std::shared_ptr<Execution> execution);
  // The execution has ended: from now on it may be dropped.
  void Ended(const std::shared_ptr<Execution>& execution);

  void DropSession(const std::string& session_id);
  void DropExpired();
  int64_t bytes() const;

 private:
  struct Kept {
    std::shared_ptr<Execution> execution;
    absl::Time ended_at;
    int64_t bytes = 0;
  };
  using Lru = std::list<Kept>;  // front: next to go
  struct Entry {
    std::shared_ptr<Execution> execution;
    Lru::iterator kept;
    bool ended = false;
  };
  struct PerSession {
    std::map<std::string, Entry> executions;
    std::set<std::string> dropped;
    std::deque<std::string> dropped_order;
  };

  void DropFront();
  void Drop(Lru::iterator kept);

  const Retention retention_;
  const Clock clock_;
  mutable std::mutex mutex_;
  std::map<std::string, PerSession> sessions_;
  Lru lru_;
  int64_t bytes_ = 0;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_EXECUTION_STORE_H_
