// The one place that decides how a cell ended. A pure function of evidence; nobody else names an
// outcome. Precedence: INFRA > the caller's kill > timer > kernel kill (OOM) > SECCOMP >
// SIGNALED/EXITED > the worker's frame. tests/unit/sandbox/runtime/outcome_test.cc is its table.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_OUTCOME_H_
#define CELLBLOCK_SANDBOX_RUNTIME_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/runtime/cell.h"

namespace cellblock {

// Kernel counters of a session or, in their absence, zeros.
struct Counters {
  int64_t oom_kills = 0;        // memory.events oom_kill
  int64_t memory_max_hits = 0;  // memory.events max
  int64_t pids_max_hits = 0;    // pids.events max
  int64_t cpu_usec = 0;         // cpu.stat usage_usec
  int64_t memory_peak = 0;      // memory.peak
  bool available = false;
};

struct Evidence {
  enum class Frame { kNone, kOk, kError, kInterrupted, kExit };
  enum class Timer { kNotFired, kWall, kCpu };
  enum class CallerAct { kNone, kInterrupt, kCancel, kKill };

  Frame done = Frame::kNone;       // the worker's last word, if it had one
  std::optional<CellError> error;  // from an error frame
  int exit_code = 0;               // with Frame::kExit

  std::optional<int> wait_status;  // init's report; nullopt: alive, or died unreported
  bool worker_gone = false;        // the pidfd is readable
  Timer timer = Timer::kNotFired;
  CallerAct caller = CallerAct::kNone;
  bool output_overflow = false;  // the total cap was passed and the cell killed for it
  bool frame_flood = false;      // the control socket was abused and the cell killed for it
  bool memory_watchdog = false;  // the launcher's stand-in for memory.max killed it
  bool infra_failure = false;    // init or the launcher is gone, or a step failed
  std::string infra_message;
  Counters before, after;

  // The limits in force, for the message.
  absl::Duration wall_limit, cpu_limit;
  int64_t output_limit = 0;  // bytes
  int64_t memory_limit = 0;  // bytes; 0 = not known
};

struct Verdict {
  Outcome outcome;
  Cause cause = Cause::kNone;
  StateFate state = StateFate::kPreserved;
  int exit_status = 0;
  int signal = 0;
  std::string message;
  std::vector<LimitEvent> limit_events;
};

Verdict ClassifyOutcome(const Evidence& evidence);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_OUTCOME_H_
