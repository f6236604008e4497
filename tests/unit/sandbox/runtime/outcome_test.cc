// The table of ClassifyOutcome: each fact alone, and every pair of facts in the stated precedence.
#include "sandbox/runtime/outcome.h"

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace cellblock {
namespace {

using Act = Evidence::CallerAct;
using Frame = Evidence::Frame;
using Timer = Evidence::Timer;

// As waitpid gives it.
constexpr int Exited(int code) {
  return code << 8;
}
constexpr int Killed(int signal) {
  return signal;
}

void Dies(Evidence& evidence, int status) {
  evidence.worker_gone = true;
  evidence.wait_status = status;
}

// What can be known of a cell, the strongest first. Facts of one group exclude each other.
struct Fact {
  std::string name;
  Outcome outcome;
  int group;
  void (*apply)(Evidence&);
};

const std::vector<Fact>& Facts() {
  static const std::vector<Fact> facts = {
      {"machinery", Outcome::kInfra, 0, [](Evidence& e) { e.infra_failure = true; }},
      {"kill", Outcome::kInterrupted, 1,
       [](Evidence& e) {
         e.caller = Act::kKill;
         Dies(e, Killed(SIGKILL));
       }},
      {"cancel", Outcome::kInterrupted, 1,
       [](Evidence& e) {
         e.caller = Act::kCancel;
         Dies(e, Killed(SIGKILL));
       }},
      {"wall", Outcome::kTimeoutWall, 2, [](Evidence& e) { e.timer = Timer::kWall; }},
      {"cpu", Outcome::kTimeoutCpu, 2, [](Evidence& e) { e.timer = Timer::kCpu; }},
      {"output", Outcome::kOutputLimit, 3,
       [](Evidence& e) {
         e.output_overflow = true;
         Dies(e, Killed(SIGKILL));
       }},
      {"frames", Outcome::kOutputLimit, 4,
       [](Evidence& e) {
         e.frame_flood = true;
         Dies(e, Killed(SIGKILL));
       }},
      {"oom kill", Outcome::kOom, 5,
       [](Evidence& e) {
         e.before.available = e.after.available = true;
         e.after.oom_kills = 1;
         e.after.memory_peak = 256 << 20;
         Dies(e, Killed(SIGKILL));
       }},
      {"watchdog", Outcome::kOom, 5,
       [](Evidence& e) {
         e.memory_watchdog = true;
         Dies(e, Killed(SIGKILL));
       }},
      {"seccomp", Outcome::kSeccomp, 6, [](Evidence& e) { Dies(e, Killed(SIGSYS)); }},
      {"signal", Outcome::kSignaled, 7, [](Evidence& e) { Dies(e, Killed(SIGSEGV)); }},
      {"exit", Outcome::kExited, 7, [](Evidence& e) { Dies(e, Exited(3)); }},
      {"gone unreported", Outcome::kInfra, 8, [](Evidence& e) { e.worker_gone = true; }},
      {"done ok", Outcome::kOk, 9, [](Evidence& e) { e.done = Frame::kOk; }},
      {"done error", Outcome::kException, 9,
       [](Evidence& e) {
         e.done = Frame::kError;
         e.error = CellError{};
         e.error->name = "ValueError";
       }},
      {"done interrupted", Outcome::kInterrupted, 9,
       [](Evidence& e) { e.done = Frame::kInterrupted; }},
      {"done exit", Outcome::kExited, 9,
       [](Evidence& e) {
         e.done = Frame::kExit;
         e.exit_code = 4;
       }},
  };
  return facts;
}

void CheckVerdict(const Evidence& evidence, Outcome outcome) {
  const Verdict verdict = ClassifyOutcome(evidence);
  CHECK(verdict.outcome == outcome);
  CHECK(verdict.state == (evidence.worker_gone ? StateFate::kLost : StateFate::kPreserved));
  if (!evidence.infra_failure) CHECK_FALSE(verdict.message.empty());
}

TEST_CASE("each fact alone") {
  for (const Fact& fact : Facts()) {
    Evidence evidence;
    fact.apply(evidence);
    CAPTURE(fact.name);
    CheckVerdict(evidence, fact.outcome);
  }
}

TEST_CASE("of two facts the stronger decides") {
  for (const Fact& strong : Facts()) {
    for (const Fact& weak : Facts()) {
      if (strong.group >= weak.group) continue;
      Evidence evidence;
      weak.apply(evidence);
      strong.apply(evidence);  // last: where both name a wait status, it is the stronger's
      CAPTURE(strong.name, weak.name);
      CheckVerdict(evidence, strong.outcome);
    }
  }
}

TEST_CASE("acts of the caller that did not end the interpreter leave the word to the frame") {
  for (const Act act : {Act::kInterrupt, Act::kCancel}) {
    for (const Fact& fact : Facts()) {
      if (fact.group != 9) continue;
      Evidence evidence;
      fact.apply(evidence);
      evidence.caller = act;
      CAPTURE(fact.name);
      CheckVerdict(evidence, fact.outcome);
    }
  }
}

TEST_CASE("an interpreter that died by an interrupt died by a signal") {
  Evidence evidence;
  evidence.caller = Act::kInterrupt;
  Dies(evidence, Killed(SIGINT));
  const Verdict verdict = ClassifyOutcome(evidence);
  CHECK(verdict.outcome == Outcome::kSignaled);
  CHECK(verdict.signal == SIGINT);
}

TEST_CASE("nothing known at all is a fault of the machinery") {
  CheckVerdict(Evidence{}, Outcome::kInfra);
}

TEST_CASE("a time-out that an interrupt answered keeps the state") {
  for (const Frame frame : {Frame::kInterrupted, Frame::kOk, Frame::kError}) {
    Evidence evidence;
    evidence.timer = Timer::kWall;
    evidence.done = frame;
    const Verdict verdict = ClassifyOutcome(evidence);
    CHECK(verdict.outcome == Outcome::kTimeoutWall);
    CHECK(verdict.state == StateFate::kPreserved);
  }
}

TEST_CASE("exit statuses and signals are passed on") {
  for (const int code : {0, 1, 70, 255}) {
    Evidence evidence;
    Dies(evidence, Exited(code));
    CHECK(ClassifyOutcome(evidence).exit_status == code);
    Evidence raised;
    raised.done = Frame::kExit;
    raised.exit_code = code;
    const Verdict verdict = ClassifyOutcome(raised);
    CHECK(verdict.exit_status == code);
    CHECK(verdict.state == StateFate::kPreserved);
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGTERM}) {
    Evidence evidence;
    Dies(evidence, Killed(signal) | 0x80);  // with the core flag
    const Verdict verdict = ClassifyOutcome(evidence);
    CHECK(verdict.outcome == Outcome::kSignaled);
    CHECK(verdict.signal == signal);
  }
}

Evidence Raised(bool counters) {
  Evidence evidence;
  evidence.done = Frame::kError;
  evidence.error = CellError{};
  evidence.before.available = evidence.after.available = counters;
  return evidence;
}

TEST_CASE("a counter that moved is the cause of an exception, and an event") {
  Evidence pids = Raised(true);
  pids.before.pids_max_hits = 2;
  pids.after.pids_max_hits = 7;
  Verdict verdict = ClassifyOutcome(pids);
  CHECK(verdict.outcome == Outcome::kException);
  CHECK(verdict.cause == Cause::kPids);
  REQUIRE(verdict.limit_events.size() == 1);
  CHECK(verdict.limit_events[0].limit == "pids");
  CHECK(verdict.limit_events[0].count == 5);
  CHECK(verdict.limit_events[0].evidence == "pids.events max 2 -> 7");

  Evidence memory = Raised(true);
  memory.after.oom_kills = 1;  // a child of the cell, in a group of its own
  verdict = ClassifyOutcome(memory);
  CHECK(verdict.outcome == Outcome::kException);
  CHECK(verdict.cause == Cause::kMemory);
  REQUIRE(verdict.limit_events.size() == 1);
  CHECK(verdict.limit_events[0].evidence == "memory.events oom_kill 0 -> 1");
}

TEST_CASE("without counters the worker's word is the cause") {
  const auto cause = [](bool CellError::*claim) {
    Evidence evidence = Raised(false);
    (*evidence.error).*claim = true;
    return ClassifyOutcome(evidence).cause;
  };
  CHECK(cause(&CellError::memory) == Cause::kMemory);
  CHECK(cause(&CellError::no_processes) == Cause::kPids);
  CHECK(cause(&CellError::disk_full) == Cause::kDiskFull);
}

TEST_CASE("where counters stood still the worker's word about them is not believed") {
  const auto cause = [](bool CellError::*claim) {
    Evidence evidence = Raised(true);
    (*evidence.error).*claim = true;
    return ClassifyOutcome(evidence).cause;
  };
  CHECK(cause(&CellError::no_processes) == Cause::kNone);
  CHECK(cause(&CellError::memory) == Cause::kNone);
  CHECK(cause(&CellError::disk_full) == Cause::kDiskFull);  // no counter counts it
}

TEST_CASE("only an exception has a cause") {
  for (const Fact& fact : Facts()) {
    if (fact.outcome == Outcome::kException) continue;
    Evidence evidence;
    fact.apply(evidence);
    evidence.after.pids_max_hits = 3;
    CAPTURE(fact.name);
    CHECK(ClassifyOutcome(evidence).cause == Cause::kNone);
  }
}

TEST_CASE("a limit that a cell touched and survived is an event") {
  Evidence evidence;
  evidence.done = Frame::kOk;
  evidence.before.available = evidence.after.available = true;
  evidence.after.memory_max_hits = 9;
  evidence.after.oom_kills = 1;
  const Verdict verdict = ClassifyOutcome(evidence);
  CHECK(verdict.outcome == Outcome::kOk);
  CHECK(verdict.state == StateFate::kPreserved);
  CHECK(verdict.limit_events.size() == 2);
}

TEST_CASE("counters that went back say nothing") {
  Evidence evidence;
  evidence.before.oom_kills = 4;
  evidence.before.available = evidence.after.available = true;
  Dies(evidence, Killed(SIGKILL));
  const Verdict verdict = ClassifyOutcome(evidence);
  CHECK(verdict.outcome == Outcome::kSignaled);
  CHECK(verdict.limit_events.empty());
}

}  // namespace
}  // namespace cellblock
