// How a cell is stopped: by its caller, by clocks, by death, and by what does not obey.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "sandbox/base/clock.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/runtime/scripted_worker.h"

namespace cellblock {
namespace {

volatile sig_atomic_t interrupts = 0;

void Count(int) {
  interrupts = interrupts + 1;
}

// In the script: a cell that ends as interrupted after so many SIGINTs.
void ObeyAfter(WorkerEnd& end, int count) {
  signal(SIGINT, Count);
  end.AwaitCell();
  end.Print("r");
  while (interrupts < count) usleep(1000);
  end.Done(internal::Done::INTERRUPTED);
}

void Ignore(WorkerEnd& end) {
  signal(SIGINT, SIG_IGN);
  end.AwaitCell();
  end.Print("r");
  for (;;) pause();
}

// Runs `act` on another thread once the cell has printed.
Worker::Report RunAnd(ScriptedWorker& scripted, const std::function<void()>& act) {
  std::thread thread;
  scripted.on_event = [&](const CellEvent& event) {
    if (std::holds_alternative<OutputChunk>(event) && !thread.joinable()) thread = std::thread(act);
  };
  const Worker::Report report = scripted.Run();
  if (thread.joinable()) thread.join();
  return report;
}

TEST_CASE("an interrupt ends a cell and keeps the state") {
  ScriptedWorker scripted([](WorkerEnd& end) { ObeyAfter(end, 1); });
  const Worker::Report report = RunAnd(scripted, [&] { scripted.control.Interrupt(); });
  const Verdict verdict = VerdictOf(report);
  CHECK(verdict.outcome == Outcome::kInterrupted);
  CHECK(verdict.state == StateFate::kPreserved);
  CHECK(report.evidence.caller == Evidence::CallerAct::kInterrupt);
  CHECK(scripted.worker().alive());
}

TEST_CASE("an interrupt that is ignored never kills") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    signal(SIGINT, SIG_IGN);
    end.AwaitCell();
    end.Print("r");
    sleep(3);
    end.Done();
  });
  scripted.limits.grace = absl::Milliseconds(100);
  const Worker::Report report = RunAnd(scripted, [&] { scripted.control.Interrupt(); });
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(scripted.worker().alive());
}

TEST_CASE("a cancel that is obeyed keeps the state") {
  ScriptedWorker scripted([](WorkerEnd& end) { ObeyAfter(end, 1); });
  const Worker::Report report =
      RunAnd(scripted, [&] { scripted.control.Cancel(absl::Seconds(20)); });
  CHECK(VerdictOf(report).outcome == Outcome::kInterrupted);
  CHECK(VerdictOf(report).state == StateFate::kPreserved);
  CHECK(scripted.worker().alive());
}

TEST_CASE("a cancel interrupts twice") {
  ScriptedWorker scripted([](WorkerEnd& end) { ObeyAfter(end, 2); });
  const Worker::Report report =
      RunAnd(scripted, [&] { scripted.control.Cancel(absl::Seconds(2)); });
  CHECK(VerdictOf(report).outcome == Outcome::kInterrupted);
  CHECK(VerdictOf(report).state == StateFate::kPreserved);
}

TEST_CASE("a cancel that is ignored kills after the grace") {
  ScriptedWorker scripted(Ignore);
  const absl::Time start = SteadyNow();
  const Worker::Report report =
      RunAnd(scripted, [&] { scripted.control.Cancel(absl::Milliseconds(400)); });
  CHECK(SteadyNow() - start > absl::Milliseconds(400));
  CHECK(SteadyNow() - start < absl::Seconds(10));
  CHECK(VerdictOf(report).outcome == Outcome::kInterrupted);
  CHECK(VerdictOf(report).state == StateFate::kLost);
  CHECK_FALSE(scripted.worker().alive());
}

TEST_CASE("a second cancel can only shorten the grace") {
  ScriptedWorker scripted(Ignore);
  const absl::Time start = SteadyNow();
  const Worker::Report report = RunAnd(scripted, [&] {
    scripted.control.Cancel(absl::Milliseconds(600));
    usleep(100000);
    scripted.control.Cancel(absl::Seconds(60));
  });
  CHECK(SteadyNow() - start < absl::Seconds(10));
  CHECK(VerdictOf(report).state == StateFate::kLost);
}

TEST_CASE("a kill is at once") {
  ScriptedWorker scripted(Ignore);
  const absl::Time start = SteadyNow();
  const Worker::Report report = RunAnd(scripted, [&] { scripted.control.Kill(); });
  CHECK(SteadyNow() - start < absl::Seconds(5));
  CHECK(VerdictOf(report).outcome == Outcome::kInterrupted);
  CHECK(VerdictOf(report).state == StateFate::kLost);
  REQUIRE(report.evidence.wait_status.has_value());
  CHECK(*report.evidence.wait_status == SIGKILL);
}

TEST_CASE("a kill that came before the cell began stops it all the same") {
  ScriptedWorker scripted(Ignore);
  scripted.control.Kill();
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kInterrupted);
}

TEST_CASE("a kill that comes with the end of the cell ends the interpreter all the same") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Display("d");
    end.Done();
    for (;;) pause();
  });
  scripted.on_event = [&](const CellEvent& event) {
    usleep(50000);  // until Done is there too
    if (std::holds_alternative<DisplayData>(event)) scripted.control.Kill();
  };
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kInterrupted);
  CHECK(VerdictOf(report).state == StateFate::kLost);
  CHECK_FALSE(scripted.worker().alive());
}

TEST_CASE("the time limit interrupts, and a cell that obeys keeps the state") {
  ScriptedWorker scripted([](WorkerEnd& end) { ObeyAfter(end, 1); });
  scripted.limits.wall = absl::Milliseconds(300);
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kTimeoutWall);
  CHECK(VerdictOf(report).state == StateFate::kPreserved);
  CHECK(report.usage.wall >= absl::Milliseconds(300));
  CHECK(scripted.worker().alive());
}

TEST_CASE("the time limit kills what ignores it, without spinning meanwhile") {
  ScriptedWorker scripted(Ignore);
  scripted.limits.wall = absl::Milliseconds(200);
  scripted.limits.grace = absl::Milliseconds(600);
  const clock_t before = clock();
  const Worker::Report report = scripted.Run();
  CHECK(static_cast<double>(clock() - before) / CLOCKS_PER_SEC < 0.3);
  CHECK(VerdictOf(report).outcome == Outcome::kTimeoutWall);
  CHECK(VerdictOf(report).state == StateFate::kLost);
  CHECK(report.usage.wall >= absl::Milliseconds(800));
  CHECK(report.usage.wall < absl::Seconds(10));
}

TEST_CASE("the time limit also holds for a cell that prints all the time") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    signal(SIGINT, SIG_IGN);
    end.AwaitCell();
    const std::string block(1 << 16, 'x');
    for (;;) end.Print(block);
  });
  scripted.limits.wall = absl::Milliseconds(300);
  scripted.limits.grace = absl::Milliseconds(200);
  scripted.limits.output.max_total_bytes = 0;
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kTimeoutWall);
  CHECK(report.usage.wall < absl::Seconds(10));
}

TEST_CASE("a stopped worker is killed by the time limit") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    raise(SIGSTOP);
  });
  scripted.limits.wall = absl::Milliseconds(200);
  scripted.limits.grace = absl::Milliseconds(200);
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kTimeoutWall);
  CHECK(VerdictOf(report).state == StateFate::kLost);
}

TEST_CASE("a worker that never reads its cell is killed by the time limit") {
  ScriptedWorker scripted([](WorkerEnd&) {
    for (;;) pause();
  });
  scripted.limits.wall = absl::Milliseconds(300);
  scripted.limits.grace = absl::Milliseconds(200);
  CellRequest request;
  request.code = std::string(4 << 20, '#');
  const absl::Time start = SteadyNow();
  const Worker::Report report = scripted.Run(request);
  CHECK(SteadyNow() - start < absl::Seconds(5));
  CHECK(VerdictOf(report).outcome == Outcome::kTimeoutWall);
  CHECK(VerdictOf(report).state == StateFate::kLost);
}

TEST_CASE("how an interpreter died is passed on") {
  const auto death = [](void (*die)()) {
    ScriptedWorker scripted([die](WorkerEnd& end) {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      end.AwaitCell();
      die();
    });
    return VerdictOf(scripted.Run());
  };
  const Verdict exited = death([] { _exit(42); });
  CHECK(exited.outcome == Outcome::kExited);
  CHECK(exited.exit_status == 42);
  CHECK(exited.state == StateFate::kLost);
  const Verdict aborted = death([] {
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
  });
  CHECK(aborted.outcome == Outcome::kSignaled);
  CHECK(aborted.signal == SIGABRT);
  const Verdict refused = death([] {
    signal(SIGSYS, SIG_DFL);
    raise(SIGSYS);
  });
  CHECK(refused.outcome == Outcome::kSeccomp);
}

TEST_CASE("a death that nobody reports is a fault of the machinery") {
  ScriptedWorker scripted(
      [](WorkerEnd& end) {
        end.AwaitCell();
        _exit(0);
      },
      {.init_reports = false});
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kInfra);
  CHECK(VerdictOf(report).state == StateFate::kLost);
}

TEST_CASE("an interpreter that cannot be killed is a fault of the machinery, after a while") {
  ScriptedWorker scripted(Ignore, {.init_signals = false});
  scripted.limits.wall = absl::Milliseconds(100);
  scripted.limits.grace = absl::Milliseconds(100);
  const absl::Time start = SteadyNow();
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kInfra);
  CHECK(SteadyNow() - start < absl::Seconds(20));
}

TEST_CASE("an idle interpreter is killed, and stays dead") {
  ScriptedWorker scripted([](WorkerEnd&) {
    signal(SIGINT, SIG_IGN);
    for (;;) pause();
  });
  CHECK(scripted.worker().alive());
  CHECK(scripted.worker().Kill(SteadyNow() + absl::Seconds(10)));
  CHECK_FALSE(scripted.worker().alive());
  CHECK(scripted.worker().Kill(SteadyNow()));
}

TEST_CASE("children of a dead interpreter do not outlive it") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    end.Print(std::to_string(child));
    _exit(0);
  });
  scripted.Run();
  const pid_t child = std::stoi(scripted.Text(Stream::kStdout));
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    usleep(10000);
    gone = kill(child, 0) != 0;
  }
  CHECK(gone);
}

}  // namespace
}  // namespace cellblock
