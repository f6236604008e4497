// The run of one cell on a worker: one poll loop on the calling thread that ends, whatever user
// code does, with evidence of how the cell ended.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_CELL_RUN_H_
#define CELLBLOCK_SANDBOX_RUNTIME_CELL_RUN_H_

#include <array>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "sandbox/base/clock.h"
#include "sandbox/runtime/output_collector.h"
#include "sandbox/runtime/worker.h"
#include "sandbox/runtime/worker_messages.h"
#include "sandbox/runtime/worker_state.h"

namespace cellblock {

class CellRun {
 public:
  CellRun(Worker::State& worker, const CellLimits& limits, CellControl& control,
          absl::FunctionRef<void(CellEvent)> sink);

  Worker::Report Run(const CellRequest& request);

 private:
  struct Source {
    Stream stream;
    int fd;
    bool ended = false;
  };

  void Start(const CellRequest& request);
  void PassOnLateOutput();
  void Step();
  int PollTimeout() const;
  void ReadControl();
  void ReadFrames(int limit);
  void Handle(FrameChannel::Message message);
  void Show(CellEvent event, size_t bytes);
  void ReadPipe(Source& source, size_t limit);
  void DrainPipes();
  void CheckClocks();
  void SendInterrupt();
  void BeginStopping(absl::Duration grace);
  void KillNow();
  void NoteDeath();
  void SettleDeath();
  void Finish();
  void Emit(CellEvent event);

  absl::Duration Elapsed() const { return SteadyNow() - started_; }

  Worker::State& worker_;
  const CellLimits& limits_;
  CellControl::State& control_;
  const absl::FunctionRef<void(CellEvent)> sink_;
  OutputCollector output_;
  Worker::Report report_;
  Evidence& evidence_;
  std::array<Source, 2> sources_;
  std::vector<char> buffer_;

  absl::Time started_;
  absl::Time last_event_;
  absl::Time next_cpu_check_;
  std::optional<absl::Time> second_interrupt_at_;
  std::optional<absl::Time> kill_at_;         // end of the grace
  std::optional<absl::Time> give_up_at_;      // after the kill
  std::optional<absl::Time> control_end_at_;  // after the control socket was lost
  int64_t cpu_at_start_ = 0;
  int64_t events_shown_ = 0;
  int64_t events_dropped_ = 0;
  size_t display_bytes_ = 0;
  bool offer_input_ = false;
  bool control_lost_ = false;
  bool init_gone_ = false;
  bool ended_ = false;  // Done was said, or the worker is gone
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_CELL_RUN_H_
