// One Python interpreter in a sandbox: its control socket and output pipes. Runs one cell at a time
// and, whatever user code does, returns with evidence of how it ended.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_WORKER_H_
#define CELLBLOCK_SANDBOX_RUNTIME_WORKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/init_client.h"
#include "sandbox/runtime/launcher_client.h"
#include "sandbox/runtime/outcome.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

// What other threads ask of a running cell. Thread-safe. One per execution.
class CellControl {
 public:
  CellControl();
  ~CellControl();
  void Interrupt();                   // SIGINT, no escalation
  void Cancel(absl::Duration grace);  // SIGINT, then kill after the grace
  void Kill();
  // False if the cell is not waiting for input.
  bool ProvideInput(std::string text, bool end_of_file);
  bool waiting_for_input() const;

 private:
  friend class CellRun;
  struct State;
  std::unique_ptr<State> state_;
};

struct CellLimits {
  absl::Duration wall, cpu, grace;  // cpu 0 = none
  OutputCaps output;
};

class Worker {
 public:
  struct ReadyInfo {
    std::string python_version, ipython_version, warning;
  };

  // `init` and `session_group` (the session's cgroup directory, -1 = none) outlive the worker.
  Worker(WorkerHandles handles, uint32_t incarnation, InitClient* init, int session_group);
  ~Worker();

  // Waits for the worker's Ready frame. DEADLINE_EXCEEDED; if it died first, UNAVAILABLE when its
  // sandbox ended with it, else INTERNAL with the worker's own words from its stderr.
  absl::StatusOr<ReadyInfo> AwaitReady(absl::Time deadline);

  struct Report {
    Evidence evidence;  // before/after counters not yet filled in by the caller
    int64_t execution_count = 0;
    Usage usage;
    std::map<std::string, UserExpressionResult> user_expressions;
    int64_t dropped_frames = 0;
    std::vector<LimitEvent> limit_events;  // of events and frames
  };

  // Runs one cell on the calling thread. Events go to `sink`, in order, on this thread; output is
  // capped as OutputCaps says (head and tail kept, OutputGap between). Returns when the worker
  // said Done and both pipes are drained, or when it is dead and they are.
  Report RunCell(const CellRequest& request, const CellLimits& limits, CellControl& control,
                 absl::FunctionRef<void(CellEvent)> sink);

  // Kills the interpreter and all its children; returns once its pidfd says it is gone or the
  // deadline passed (false).
  bool Kill(absl::Time deadline);
  bool alive() const;
  uint32_t incarnation() const;
  // CPU time and memory counters of the session's or the worker's group; zeros without cgroups.
  Counters ReadCounters() const;

 private:
  friend class CellRun;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_WORKER_H_
