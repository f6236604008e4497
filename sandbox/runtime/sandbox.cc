#include "sandbox/runtime/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/status.h"
#include "sandbox/runtime/artifacts.h"
#include "sandbox/runtime/denials.h"

namespace cellblock {
namespace {

constexpr absl::Duration kReadyTime = absl::Seconds(60);
constexpr absl::Duration kKillTime = absl::Seconds(5);
// News of the watchdog travel beside the death that they explain.
constexpr absl::Duration kNewsTime = absl::Milliseconds(300);

bool MemoryIsEmulated(const SandboxHandles& handles) {
  for (const Facility& facility : handles.facilities) {
    if (facility.name == "memory") return facility.enforcement == Enforcement::kEmulated;
  }
  return false;
}

bool KilledBySignal9(const Evidence& evidence) {
  return evidence.wait_status.has_value() && WIFSIGNALED(*evidence.wait_status) &&
         WTERMSIG(*evidence.wait_status) == SIGKILL;
}

CellResult InfraResult(const absl::Status& status, int64_t epoch) {
  CellResult result;
  result.outcome = Outcome::kInfra;
  result.message = std::string(status.message());
  result.epoch = epoch;
  result.state = StateFate::kLost;
  return result;
}

}  // namespace

struct Sandbox::State {
  LauncherClient* launcher = nullptr;
  SandboxHandles handles;
  std::map<std::string, std::string> environment;
  std::unique_ptr<InitClient> init;
  std::unique_ptr<Worker> worker;
  std::string python_version;
  uint32_t incarnation = 0;
  std::atomic<int64_t> epoch{1};
  std::atomic<bool> alive{false};
  bool memory_emulated = false;
  Limits limits;
  bool destroyed = false;

  // The work folder as the last cell left it: made empty. What changes between two cells without
  // the daemon's doing was done by what a cell left running, and shows with the next cell.
  std::optional<FolderSnapshot> files_before = FolderSnapshot();
  int64_t writes_before = 0;

  std::mutex death_mutex;
  UniqueFd death_watch;  // the living interpreter's pidfd

  std::mutex news_mutex;
  std::condition_variable news;
  bool watchdog = false;

  absl::Status StartWorker();
  void LoseWorker();
  void NoteDeath();
  absl::Status NoteFiles();
  void ListChanges(CellResult* result);
  bool TakeWatchdogNews(const Evidence& evidence);
  // What happened between two cells is no evidence about the next one.
  void ForgetWatchdogNews();
};

absl::Status Sandbox::State::StartWorker() {
  const uint32_t next = incarnation + 1;
  incarnation = next;  // used up, whatever comes of it
  CELLBLOCK_ASSIGN_OR_RETURN(WorkerHandles spawned,
                             launcher->SpawnWorker(handles.id, next, environment));
  UniqueFd watch(fcntl(spawned.pidfd.get(), F_DUPFD_CLOEXEC, 0));
  worker = std::make_unique<Worker>(std::move(spawned), next, init.get(), handles.cgroup_dir.get());
  const absl::StatusOr<Worker::ReadyInfo> ready = worker->AwaitReady(SteadyNow() + kReadyTime);
  if (!ready.ok()) {
    worker->Kill(SteadyNow() + kKillTime);
    LoseWorker();
    return ready.status();
  }
  python_version = ready->python_version;
  epoch = next;
  const std::lock_guard<std::mutex> lock(death_mutex);
  death_watch = std::move(watch);
  alive = true;
  return absl::OkStatus();
}

// The epoch is the next interpreter's from here on.
void Sandbox::State::LoseWorker() {
  worker.reset();
  const std::lock_guard<std::mutex> lock(death_mutex);
  death_watch.reset();
  alive = false;
  epoch = incarnation + 1;
}

// An interpreter may die between two cells: a thread that it left running may end it.
void Sandbox::State::NoteDeath() {
  const std::lock_guard<std::mutex> lock(death_mutex);
  if (!death_watch.valid()) return;
  pollfd polled{death_watch.get(), POLLIN, 0};
  if (poll(&polled, 1, 0) != 1) return;
  death_watch.reset();
  alive = false;
  ++epoch;
}

absl::Status Sandbox::State::NoteFiles() {
  writes_before = init->writes();
  files_before.reset();
  CELLBLOCK_ASSIGN_OR_RETURN(files_before, TakeSnapshot(*init));
  return absl::OkStatus();
}

void Sandbox::State::ListChanges(CellResult* result) {
  const std::optional<FolderSnapshot> before = std::move(files_before);
  const absl::Status noted = NoteFiles();
  if (before.has_value() && noted.ok()) {
    CompareSnapshots(*before, *files_before, *init, result);
  } else {
    result->artifacts_truncated = true;
  }
}

bool Sandbox::State::TakeWatchdogNews(const Evidence& evidence) {
  std::unique_lock<std::mutex> lock(news_mutex);
  if (memory_emulated && KilledBySignal9(evidence) &&
      evidence.caller != Evidence::CallerAct::kKill && !evidence.output_overflow &&
      evidence.timer == Evidence::Timer::kNotFired) {
    news.wait_for(lock, absl::ToChronoMilliseconds(kNewsTime), [this] { return watchdog; });
  }
  return std::exchange(watchdog, false);
}

void Sandbox::State::ForgetWatchdogNews() {
  const std::lock_guard<std::mutex> lock(news_mutex);
  watchdog = false;
}

Sandbox::Sandbox() : state_(std::make_unique<State>()) {}

absl::StatusOr<std::unique_ptr<Sandbox>> Sandbox::Create(
    LauncherClient* launcher, const SandboxSpec& spec,
    const std::map<std::string, std::string>& environment) {
  std::unique_ptr<Sandbox> sandbox(new Sandbox);
  State& state = *sandbox->state_;
  CELLBLOCK_ASSIGN_OR_RETURN(state.handles, launcher->CreateSandbox(spec));
  state.launcher = launcher;
  state.environment = environment;
  state.memory_emulated = MemoryIsEmulated(state.handles);
  state.limits = spec.limits;
  state.init = std::make_unique<InitClient>(std::move(state.handles.init_socket));
  CELLBLOCK_RETURN_IF_ERROR(state.StartWorker());
  return sandbox;
}

Sandbox::~Sandbox() {
  if (state_->launcher != nullptr) Destroy().status().IgnoreError();
}

CellResult Sandbox::RunCell(const CellRequest& request, const CellLimits& limits,
                            CellControl& control, absl::FunctionRef<void(CellEvent)> sink) {
  State& state = *state_;
  if (state.worker != nullptr && !state.worker->alive()) {
    state.worker->Kill(SteadyNow() + kKillTime);  // what it left behind
    state.LoseWorker();
    sink(StateEvent{false, epoch(), "the interpreter died between two cells"});
  }
  if (state.worker == nullptr) {
    if (const absl::Status started = state.StartWorker(); !started.ok()) {
      return InfraResult(started, epoch());
    }
  }
  state.ForgetWatchdogNews();
  if (!state.files_before.has_value() || state.init->writes() != state.writes_before) {
    state.NoteFiles().IgnoreError();  // then the result says that its artifacts are not all
  }
  Worker::Report report = state.worker->RunCell(request, limits, control, sink);
  report.evidence.memory_limit = state.limits.memory_bytes;
  report.evidence.memory_watchdog = state.TakeWatchdogNews(report.evidence);
  const Verdict verdict = ClassifyOutcome(report.evidence);

  // An interpreter that does not answer and cannot be killed is of no use either.
  const bool lost = verdict.state == StateFate::kLost || verdict.outcome == Outcome::kInfra;
  if (lost) {
    state.LoseWorker();
    sink(StateEvent{false, epoch(), verdict.message});
  }
  CellResult result;
  result.outcome = verdict.outcome;
  result.cause = verdict.cause;
  result.message = verdict.message;
  result.error = std::move(report.evidence.error);
  if (result.error.has_value()) result.denials = DenialsOf(*result.error, state.limits);
  result.exit_status = verdict.exit_status;
  result.signal = verdict.signal;
  result.execution_count = report.execution_count;
  result.epoch = epoch();
  result.state = lost ? StateFate::kLost : verdict.state;
  result.limit_events = verdict.limit_events;
  result.limit_events.insert(result.limit_events.end(), report.limit_events.begin(),
                             report.limit_events.end());
  result.usage = report.usage;
  result.user_expressions = std::move(report.user_expressions);
  result.dropped_frames = report.dropped_frames;
  state.ListChanges(&result);
  return result;
}

absl::Status Sandbox::KillInterpreter() {
  State& state = *state_;
  if (state.worker == nullptr) return absl::OkStatus();
  if (!state.worker->Kill(SteadyNow() + kKillTime)) {
    return absl::InternalError("the interpreter could not be killed");
  }
  state.LoseWorker();
  return absl::OkStatus();
}

absl::StatusOr<WipeReport> Sandbox::Destroy() {
  if (std::exchange(state_->destroyed, true)) {
    return absl::FailedPreconditionError("the sandbox has been destroyed");
  }
  state_->alive = false;
  const absl::StatusOr<int64_t> used =
      state_->init != nullptr ? state_->init->DiskBytesUsed() : absl::StatusOr<int64_t>(0);
  CELLBLOCK_ASSIGN_OR_RETURN(WipeReport report,
                             state_->launcher->DestroySandbox(state_->handles.id));
  report.disk_bytes_discarded = used.value_or(0);
  return report;
}

InitClient& Sandbox::files() {
  return *state_->init;
}

void Sandbox::NoteMemoryWatchdog() {
  const std::lock_guard<std::mutex> lock(state_->news_mutex);
  state_->watchdog = true;
  state_->news.notify_all();
}

int64_t Sandbox::epoch() const {
  return state_->epoch;
}

bool Sandbox::interpreter_alive() const {
  state_->NoteDeath();
  return state_->alive;
}

const SandboxHandles& Sandbox::handles() const {
  return state_->handles;
}

const std::string& Sandbox::python_version() const {
  return state_->python_version;
}

}  // namespace cellblock
