#include "daemon/session/session_registry.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "daemon/observe/log.h"
#include "daemon/session/error.h"
#include "daemon/session/random_id.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

// An id lets its holder in; a log is read by more people than that.
std::string ShortId(const Session& session) {
  return session.id().substr(0, 8);
}

}  // namespace

SessionRegistry::SessionRegistry(RunnerFactory factory, Limits limits, Retention retention,
                                 Clock clock)
    : factory_(std::move(factory)),
      limits_(limits),
      clock_(clock),
      executions_(retention, std::move(clock)),
      slots_(limits.max_running_cells) {}

SessionRegistry::~SessionRegistry() {
  CloseAll();
}

absl::Status SessionRegistry::CheckAcceptingLocked() const {
  if (stopped_.empty()) return absl::OkStatus();
  return MakeError(absl::StatusCode::kUnavailable, "the server is going away",
                   {.reason = stopped_, .retryable = true, .retry_after = absl::Seconds(1)});
}

absl::Status SessionRegistry::CheckAccepting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return CheckAcceptingLocked();
}

void SessionRegistry::StopAccepting(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_.empty()) stopped_ = reason;
}

absl::StatusOr<std::shared_ptr<Session>> SessionRegistry::Create(
    SessionSpec spec, const std::string& idempotency_key) {
  const Key key(spec.tenant, idempotency_key);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!idempotency_key.empty()) {
      // Who comes while the first call still makes the session waits for it, and makes one itself
      // if that call failed.
      const auto making = [&] {
        const auto known = keys_.find(key);
        return known != keys_.end() && known->second.empty();
      };
      changed_.wait(lock, [&] { return !making(); });
      const auto known = keys_.find(key);
      if (known != keys_.end()) return sessions_.at(known->second);
    }
    CELLBLOCK_RETURN_IF_ERROR(CheckAcceptingLocked());
    if (static_cast<int>(sessions_.size()) + making_ + closing_ >= limits_.max_sessions) {
      return MakeError(
          absl::StatusCode::kResourceExhausted,
          absl::StrCat("the server has ", limits_.max_sessions, " sessions, as many as it may"),
          {.reason = "TOO_MANY_SESSIONS",
           .object = "max_sessions",
           .remedy = "delete a session, or wait for one to expire",
           .retryable = true,
           .retry_after = absl::Seconds(1)});
    }
    ++making_;
    if (!idempotency_key.empty()) keys_[key] = "";
  }
  auto session = Admit(std::move(spec), key);
  changed_.notify_all();
  return session;
}

absl::StatusOr<std::shared_ptr<Session>> SessionRegistry::Admit(SessionSpec spec, const Key& key) {
  auto runner = factory_(spec.runner);
  std::shared_ptr<Session> session;
  if (runner.ok()) {
    session = std::make_shared<Session>(RandomId(), std::move(spec), *std::move(runner),
                                        Session::Shared{&executions_, &slots_, clock_});
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  --making_;
  absl::Status status = session == nullptr ? runner.status() : CheckAcceptingLocked();
  if (!status.ok()) {
    keys_.erase(key);
    return status;  // a session made in vain closes itself
  }
  sessions_[session->id()] = session;
  python_versions_[session->spec().image] = session->runner_info().python_version;
  if (!key.second.empty()) keys_[key] = session->id();
  Log(LogLevel::kInfo, "session_opened",
      {{"session", ShortId(*session)},
       {"image", session->spec().image},
       {"policy", session->spec().policy},
       {"sessions", static_cast<int64_t>(sessions_.size())}});
  return session;
}

absl::StatusOr<std::shared_ptr<Session>> SessionRegistry::Find(const std::string& tenant,
                                                               const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->spec().tenant != tenant) {
    return SessionNotFound(id);
  }
  return found->second;
}

std::vector<std::shared_ptr<Session>> SessionRegistry::All() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<Session>> all;
  for (const auto& [id, session] : sessions_) all.push_back(session);
  return all;
}

std::vector<std::shared_ptr<Session>> SessionRegistry::List(const std::string& tenant) {
  std::vector<std::shared_ptr<Session>> sessions = All();
  const auto foreign = [&](const std::shared_ptr<Session>& session) {
    return session->spec().tenant != tenant;
  };
  sessions.erase(std::remove_if(sessions.begin(), sessions.end(), foreign), sessions.end());
  return sessions;
}

int SessionRegistry::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(sessions_.size());
}

void SessionRegistry::Forget(const Session& session) {
  sessions_.erase(session.id());
  for (auto key = keys_.begin(); key != keys_.end();) {
    key = key->second == session.id() ? keys_.erase(key) : std::next(key);
  }
}

absl::StatusOr<WipeReport> SessionRegistry::CloseOne(std::shared_ptr<Session> session) {
  {
    // Whoever takes it out of the map is the one to close it.
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sessions_.count(session->id()) == 0) return SessionNotFound(session->id());
    Forget(*session);
    ++closing_;
  }
  auto report = session->Close();
  Log(report.ok() ? LogLevel::kInfo : LogLevel::kWarning, "session_closed",
      {{"session", ShortId(*session)},
       {"cells", session->Describe().cells_run},
       {"wiped", report.ok() ? "yes" : report.status().message()}});
  const std::lock_guard<std::mutex> lock(mutex_);
  --closing_;
  return report;
}

absl::StatusOr<WipeReport> SessionRegistry::Delete(const std::string& tenant,
                                                   const std::string& id) {
  CELLBLOCK_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, Find(tenant, id));
  return CloseOne(std::move(session));
}

void SessionRegistry::ReapExpired() {
  for (const std::shared_ptr<Session>& session : All()) {
    if (session->ExpiresAt() <= clock_()) CloseOne(session).IgnoreError();
  }
  executions_.DropExpired();
}

int SessionRegistry::RunningCells() const {
  int running = 0;
  for (const std::shared_ptr<Session>& session : All()) running += session->busy() ? 1 : 0;
  return running;
}

void SessionRegistry::CancelRunningCells() {
  for (const std::shared_ptr<Session>& session : All()) session->CancelRunning();
}

void SessionRegistry::CloseAll() {
  for (const std::shared_ptr<Session>& session : All()) CloseOne(session).IgnoreError();
}

std::string SessionRegistry::PythonVersionOf(const std::string& image) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = python_versions_.find(image);
  return known == python_versions_.end() ? "" : known->second;
}

Reaper::Reaper(SessionRegistry* registry)
    : thread_([this, registry] {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!stop_changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stop_; })) {
          lock.unlock();
          registry->ReapExpired();
          lock.lock();
        }
      }) {}

Reaper::~Reaper() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stop_changed_.notify_all();
  thread_.join();
}

}  // namespace cellblock
