#include "sandbox/runtime/outcome.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

std::string Mebibytes(int64_t bytes) {
  if (bytes < 1024 * 1024) return absl::StrCat(bytes, " bytes");
  return absl::StrCat(bytes / (1024 * 1024), " MiB");
}

void NoteMoved(Verdict& verdict, const char* limit, const char* counter, int64_t before,
               int64_t after) {
  if (after <= before) return;
  verdict.limit_events.push_back(
      {limit, after - before, absl::StrCat(counter, " ", before, " -> ", after)});
}

bool OomKilled(const Evidence& evidence) {
  return evidence.memory_watchdog ||
         (evidence.after.available && evidence.after.oom_kills > evidence.before.oom_kills);
}

Verdict As(Outcome outcome, std::string message) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.message = std::move(message);
  return verdict;
}

Verdict CallersKill(const Evidence& evidence) {
  return As(Outcome::kInterrupted, evidence.caller == Evidence::CallerAct::kKill
                                       ? "the caller killed the interpreter"
                                       : "the caller cancelled the cell and it did not end in "
                                         "time: the interpreter was killed");
}

Verdict TimedOut(const Evidence& evidence) {
  const bool wall = evidence.timer == Evidence::Timer::kWall;
  return As(wall ? Outcome::kTimeoutWall : Outcome::kTimeoutCpu,
            absl::StrCat(
                "the cell reached its ", wall ? "time" : "CPU time", " limit of ",
                absl::FormatDuration(wall ? evidence.wall_limit : evidence.cpu_limit), " and was ",
                evidence.worker_gone ? "killed: it did not end when interrupted" : "interrupted"));
}

Verdict OutOfMemory(const Evidence& evidence) {
  std::string message = "the cell ran out of memory and was killed";
  if (evidence.memory_limit > 0) {
    absl::StrAppend(&message, "; limit ", Mebibytes(evidence.memory_limit));
  }
  if (evidence.after.memory_peak > 0) {
    absl::StrAppend(&message, "; peak ", Mebibytes(evidence.after.memory_peak));
  }
  if (evidence.memory_watchdog) absl::StrAppend(&message, " (by the watchdog on set size)");
  return As(Outcome::kOom, std::move(message));
}

Verdict Died(const Evidence& evidence) {
  const int status = *evidence.wait_status;
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    Verdict verdict =
        number == SIGSYS
            ? As(Outcome::kSeccomp, "the kernel killed the interpreter for a call of a foreign ABI")
            : As(Outcome::kSignaled, absl::StrCat("the interpreter died of signal ", number, " (",
                                                  strsignal(number), ")"));
    verdict.signal = number;
    return verdict;
  }
  Verdict verdict = As(Outcome::kExited,
                       absl::StrCat("the interpreter exited with status ", WEXITSTATUS(status)));
  verdict.exit_status = WEXITSTATUS(status);
  return verdict;
}

// The kernel's counters first; where it has none, the worker's word for its own session. Nothing
// counts a full disk.
Cause CauseOf(const Evidence& evidence) {
  const Counters& before = evidence.before;
  const Counters& after = evidence.after;
  if (after.oom_kills > before.oom_kills) return Cause::kMemory;
  if (after.pids_max_hits > before.pids_max_hits) return Cause::kPids;
  if (!evidence.error.has_value()) return Cause::kNone;
  if (evidence.error->disk_full) return Cause::kDiskFull;
  if (after.available) return Cause::kNone;
  if (evidence.error->memory) return Cause::kMemory;
  if (evidence.error->no_processes) return Cause::kPids;
  return Cause::kNone;
}

Verdict ByFrame(const Evidence& evidence) {
  using Frame = Evidence::Frame;
  switch (evidence.done) {
    case Frame::kOk:
      return As(Outcome::kOk, "the cell ended well");
    case Frame::kInterrupted:
      return As(Outcome::kInterrupted, "the cell was interrupted");
    case Frame::kExit: {
      Verdict verdict =
          As(Outcome::kExited, absl::StrCat("the cell called sys.exit(", evidence.exit_code, ")"));
      verdict.exit_status = evidence.exit_code;
      return verdict;
    }
    case Frame::kError: {
      Verdict verdict = As(Outcome::kException, "the cell raised an exception");
      if (evidence.error.has_value()) {
        verdict.message = absl::StrCat("the cell raised ", evidence.error->name);
      }
      verdict.cause = CauseOf(evidence);
      return verdict;
    }
    case Frame::kNone:
      break;
  }
  return As(Outcome::kInfra, "the interpreter stopped answering");
}

Verdict Decide(const Evidence& evidence) {
  using Act = Evidence::CallerAct;
  if (evidence.infra_failure) return As(Outcome::kInfra, evidence.infra_message);
  if (evidence.worker_gone && (evidence.caller == Act::kKill || evidence.caller == Act::kCancel)) {
    return CallersKill(evidence);
  }
  if (evidence.timer != Evidence::Timer::kNotFired) return TimedOut(evidence);
  if (evidence.output_overflow) {
    return As(Outcome::kOutputLimit,
              absl::StrCat("the cell wrote more than its output limit of ",
                           Mebibytes(evidence.output_limit), " and was killed"));
  }
  if (evidence.frame_flood) {
    return As(Outcome::kOutputLimit, "the cell flooded the control socket and was killed");
  }
  if (evidence.worker_gone && OomKilled(evidence)) return OutOfMemory(evidence);
  if (evidence.worker_gone && evidence.wait_status.has_value()) return Died(evidence);
  if (evidence.worker_gone) {
    return As(Outcome::kInfra, "the interpreter is gone and nothing says how it ended");
  }
  return ByFrame(evidence);
}

}  // namespace

Verdict ClassifyOutcome(const Evidence& evidence) {
  Verdict verdict = Decide(evidence);
  verdict.state = evidence.worker_gone ? StateFate::kLost : StateFate::kPreserved;
  NoteMoved(verdict, "memory", "memory.events oom_kill", evidence.before.oom_kills,
            evidence.after.oom_kills);
  NoteMoved(verdict, "memory", "memory.events max", evidence.before.memory_max_hits,
            evidence.after.memory_max_hits);
  NoteMoved(verdict, "pids", "pids.events max", evidence.before.pids_max_hits,
            evidence.after.pids_max_hits);
  if (evidence.memory_watchdog) {
    verdict.limit_events.push_back({"memory", 1, "watchdog on proportional set size"});
  }
  return verdict;
}

}  // namespace cellblock
