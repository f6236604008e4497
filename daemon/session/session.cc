#include "daemon/session/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "daemon/session/error.h"
#include "daemon/session/random_id.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

// A killed cell ends as soon as the kernel has reaped it; past this, all of the sandbox goes.
constexpr absl::Duration kKillPatience = absl::Seconds(5);
constexpr absl::Duration kRetryBusy = absl::Milliseconds(100);

absl::Status SessionClosing(const std::string& id) {
  return SessionNotFound(id);
}

absl::Status Busy(const std::string& id, absl::string_view execution_id) {
  return MakeError(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat("the session runs a cell", execution_id.empty() ? "" : ": ", execution_id),
      {.reason = "SESSION_BUSY",
       .object = id,
       .remedy = "wait for the running cell, or cancel it",
       .retryable = true,
       .retry_after = kRetryBusy});
}

}  // namespace

bool CellSlots::TryTake() {
  int free = free_.load();
  while (free > 0) {
    if (free_.compare_exchange_weak(free, free - 1)) return true;
  }
  return false;
}

Session::Session(std::string id, SessionSpec spec, std::unique_ptr<CellRunner> runner,
                 Shared shared)
    : id_(std::move(id)),
      spec_(std::move(spec)),
      runner_(std::move(runner)),
      shared_(std::move(shared)),
      created_at_(shared_.clock()),
      last_used_at_(created_at_),
      thread_([this] { ServeCells(); }) {}

Session::~Session() {
  Close().IgnoreError();
}

SessionInfo Session::Describe() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  SessionInfo info;
  info.id = id_;
  info.cells_run = cells_run_;
  if (running_ != nullptr) info.running_execution_id = running_->id();
  info.created_at = created_at_;
  info.last_used_at = last_used_at_;
  info.idle_expires_at = last_used_at_ + spec_.idle_ttl;
  info.expires_at = created_at_ + spec_.total_ttl;
  info.state = closing_                        ? SessionState::kClosing
               : working_                      ? SessionState::kBusy
               : !runner_->interpreter_alive() ? SessionState::kInterpreterLost
                                               : SessionState::kIdle;
  info.epoch = runner_->epoch();  // after the state: an unnoticed death has moved it
  return info;
}

bool Session::busy() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return working_;
}

absl::Status Session::CheckAlive() const {
  if (runner_->sandbox_alive()) return absl::OkStatus();
  return MakeError(absl::StatusCode::kUnavailable, "the session's sandbox is gone",
                   {.reason = "SANDBOX_LOST",
                    .object = id_,
                    .remedy = "delete the session and create another; its files are lost"});
}

absl::Status Session::CheckCanRun() const {
  if (closing_) return SessionClosing(id_);
  CELLBLOCK_RETURN_IF_ERROR(CheckAlive());
  if (working_) return Busy(id_, running_ == nullptr ? "" : running_->id());
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Execution>> Session::FindExecution(const std::string& id) {
  if (auto found = shared_.executions->Find(id_, id)) return found;
  return ExecutionNotFound(id);
}

absl::StatusOr<std::shared_ptr<Execution>> Session::Execute(CellSpec cell) {
  std::shared_ptr<Execution> execution;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!cell.execution_id.empty()) {
      if (auto found = shared_.executions->Find(id_, cell.execution_id)) return found;
      if (shared_.executions->RanBefore(id_, cell.execution_id)) {
        return MakeError(absl::StatusCode::kFailedPrecondition,
                         "this execution has run, and its result is no longer kept",
                         {.reason = "EXECUTION_EXPIRED", .object = cell.execution_id});
      }
    }
    CELLBLOCK_RETURN_IF_ERROR(CheckCanRun());
    if (!shared_.slots->TryTake()) {
      return MakeError(absl::StatusCode::kResourceExhausted,
                       "the server runs as many cells as it may",
                       {.reason = "TOO_MANY_RUNNING_CELLS",
                        .object = "max_running_cells",
                        .retryable = true,
                        .retry_after = absl::Seconds(1)});
    }
    CellLimits limits = spec_.cell_limits;
    if (cell.timeout > absl::ZeroDuration()) limits.wall = std::min(limits.wall, cell.timeout);
    Execution::Options options;
    options.session_id = id_;
    options.id = cell.execution_id.empty() ? RandomId() : std::move(cell.execution_id);
    options.on_disconnect = cell.on_disconnect;
    options.cancel_grace = limits.grace;
    execution = std::make_shared<Execution>(
        std::move(options), runner_->Prepare(std::move(cell.request), limits), shared_.clock);
    shared_.executions->Add(execution);
    running_ = execution;
    working_ = true;
    job_ = [this, execution] { Run(execution); };
  }
  changed_.notify_all();
  return execution;
}

// On the cell thread.
void Session::Run(const std::shared_ptr<Execution>& execution) {
  const std::shared_ptr<RunnableCell> cell = execution->cell();
  CellResult result =
      cell->Run([&](CellEvent event) { execution->Append(runner_->epoch(), std::move(event)); });
  shared_.slots->Release();
  {
    // Before the result shows, so that who has read it can run the next cell.
    const std::lock_guard<std::mutex> lock(mutex_);
    running_ = nullptr;
    working_ = false;
    ++cells_run_;
    last_used_at_ = shared_.clock();
  }
  execution->Finish(runner_->epoch(), std::move(result));
  shared_.executions->Ended(execution);
}

void Session::ServeCells() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return job_ != nullptr || closing_; });
    if (job_ == nullptr) return;
    const std::function<void()> job = std::exchange(job_, nullptr);
    lock.unlock();
    job();
    lock.lock();
    changed_.notify_all();
  }
}

absl::StatusOr<int64_t> Session::KillInterpreter() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (closing_) return SessionClosing(id_);
  CELLBLOCK_RETURN_IF_ERROR(CheckAlive());
  if (const std::shared_ptr<Execution> execution = running_) {
    lock.unlock();
    if (const auto cell = execution->cell()) cell->Kill();
    while (execution->AwaitResult(kKillPatience) == nullptr) runner_->KillAll();
    return runner_->epoch();
  }
  if (working_) return Busy(id_, "");  // another kill is under way
  auto outcome = std::make_shared<absl::Status>();
  working_ = true;
  auto done = std::make_shared<bool>(false);
  job_ = [this, outcome, done] {
    absl::Status status = runner_->KillInterpreter();
    const std::lock_guard<std::mutex> job_lock(mutex_);
    *outcome = std::move(status);
    *done = true;
    working_ = false;
    last_used_at_ = shared_.clock();
  };
  changed_.notify_all();
  changed_.wait(lock, [&] { return *done; });
  if (!outcome->ok()) return *outcome;
  return runner_->epoch();
}

void Session::CancelRunning() {
  std::shared_ptr<Execution> execution;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    execution = running_;
  }
  if (execution == nullptr) return;
  if (const auto cell = execution->cell()) cell->Cancel(spec_.cell_limits.grace);
}

absl::Time Session::ExpiresAt() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ExpiresAtLocked();
}

absl::Time Session::ExpiresAtLocked() const {
  const absl::Time total = created_at_ + spec_.total_ttl;
  if (working_ || users_ > 0) return total;
  return std::min(total, last_used_at_ + spec_.idle_ttl);
}

Session::Use::Use(std::shared_ptr<Session> session) : session_(std::move(session)) {
  const std::lock_guard<std::mutex> lock(session_->mutex_);
  ++session_->users_;
}

Session::Use::~Use() {
  const std::lock_guard<std::mutex> lock(session_->mutex_);
  --session_->users_;
  session_->last_used_at_ = session_->shared_.clock();
}

void Session::StopThread() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.notify_all();
  if (const std::shared_ptr<Execution> execution = running_) {
    lock.unlock();
    if (const auto cell = execution->cell()) cell->Kill();
    lock.lock();
  }
  if (!changed_.wait_for(lock, absl::ToChronoMilliseconds(kKillPatience),
                         [this] { return !working_; })) {
    runner_->KillAll();
  }
  lock.unlock();
  thread_.join();
}

absl::StatusOr<WipeReport> Session::Close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_) return absl::FailedPreconditionError("the session is closing");
    closing_ = true;
  }
  StopThread();
  shared_.executions->DropSession(id_);
  return runner_->Destroy();
}

}  // namespace cellblock
