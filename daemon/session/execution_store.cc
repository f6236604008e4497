#include "daemon/session/execution_store.h"

#include <utility>

namespace cellblock {
namespace {

// Ids remembered per session after their log is gone, so that a repeated call does not run twice.
constexpr size_t kMaxRemembered = 4096;

}  // namespace

ExecutionStore::ExecutionStore(Retention retention, Clock clock)
    : retention_(retention), clock_(std::move(clock)) {}

std::shared_ptr<Execution> ExecutionStore::Find(const std::string& session_id,
                                                const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto session = sessions_.find(session_id);
  if (session == sessions_.end()) return nullptr;
  const auto found = session->second.executions.find(id);
  if (found == session->second.executions.end()) return nullptr;
  if (found->second.ended) lru_.splice(lru_.end(), lru_, found->second.kept);
  return found->second.execution;
}

bool ExecutionStore::RanBefore(const std::string& session_id, const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto session = sessions_.find(session_id);
  return session != sessions_.end() && session->second.dropped.count(id) > 0;
}

void ExecutionStore::Add(std::shared_ptr<Execution> execution) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = sessions_[execution->session_id()].executions[execution->id()];
  entry.execution = std::move(execution);
}

void ExecutionStore::Ended(const std::shared_ptr<Execution>& execution) {
  const int64_t bytes = execution->bytes();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto session = sessions_.find(execution->session_id());
  if (session == sessions_.end()) return;  // the session was dropped meanwhile
  const auto found = session->second.executions.find(execution->id());
  if (found == session->second.executions.end() || found->second.ended) return;
  found->second.ended = true;
  found->second.kept = lru_.insert(lru_.end(), {execution, clock_(), bytes});
  bytes_ += bytes;
  while (bytes_ > retention_.bytes) DropFront();
}

void ExecutionStore::DropFront() {
  Drop(lru_.begin());
}

void ExecutionStore::Drop(Lru::iterator kept) {
  PerSession& session = sessions_[kept->execution->session_id()];
  const std::string id = kept->execution->id();
  session.executions.erase(id);
  session.dropped.insert(id);
  session.dropped_order.push_back(id);
  if (session.dropped_order.size() > kMaxRemembered) {
    session.dropped.erase(session.dropped_order.front());
    session.dropped_order.pop_front();
  }
  bytes_ -= kept->bytes;
  lru_.erase(kept);
}

void ExecutionStore::DropSession(const std::string& session_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto session = sessions_.find(session_id);
  if (session == sessions_.end()) return;
  for (auto& [id, entry] : session->second.executions) {
    if (!entry.ended) continue;
    bytes_ -= entry.kept->bytes;
    lru_.erase(entry.kept);
  }
  sessions_.erase(session);
}

void ExecutionStore::DropExpired() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time oldest = clock_() - retention_.time;
  for (auto kept = lru_.begin(); kept != lru_.end();) {
    const auto next = std::next(kept);
    if (kept->ended_at < oldest) Drop(kept);
    kept = next;
  }
}

int64_t ExecutionStore::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

}  // namespace cellblock
