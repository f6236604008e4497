// Bytes on the pipes: kept, capped, counted, drained after Done, late ones told apart.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "sandbox/base/clock.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/runtime/scripted_worker.h"

namespace cellblock {
namespace {

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST_CASE("a cell from start to end") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Print("out");
    end.Print("err", true);
    internal::Display value;
    value.set_is_result(true);
    value.set_execution_count(7);
    auto* form = value.add_forms();
    form->set_type("text/plain");
    form->set_data("2");
    internal::Done done;
    *done.mutable_value() = value;
    done.set_status(internal::Done::OK);
    done.set_execution_count(7);
    auto* expression = done.add_expressions();
    expression->set_name("x");
    *expression->mutable_value()->add_forms() = *form;
    end.Send(FrameType::kDone, done);
  });
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(report.execution_count == 7);
  CHECK(report.dropped_frames == 0);
  CHECK(scripted.Text(Stream::kStdout) == "out");
  CHECK(scripted.Text(Stream::kStderr) == "err");
  CHECK(report.usage.stdout_bytes == 3);
  CHECK(report.usage.stderr_bytes == 3);
  const auto values = scripted.Of<ExecuteResult>();
  REQUIRE(values.size() == 1);
  CHECK(values[0].bundle.data.at("text/plain") == "2");
  CHECK(values[0].execution_count == 7);
  CHECK(std::holds_alternative<CellStarted>(scripted.events.front()));
  // What was printed before the value comes before it.
  CHECK(std::holds_alternative<ExecuteResult>(scripted.events.back()));
  REQUIRE(report.user_expressions.count("x") == 1);
  CHECK(report.user_expressions.at("x").value->data.at("text/plain") == "2");
  CHECK(scripted.worker().alive());
}

TEST_CASE("what was asked reaches the worker, however long it is") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Print(end.request.name() + (end.request.silent() ? " silent" : "") +
              std::to_string(end.request.code().size()));
    end.Done();
  });
  CellRequest request;
  request.code = std::string(5 << 20, '#');  // far more than the socket holds
  request.silent = true;
  request.name = "n";
  CHECK(VerdictOf(scripted.Run(request)).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout) == "n silent5242880");
}

TEST_CASE("one cell after the other, and the next of the two comes late") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Print("one");
    end.Done();
    end.Print("between");
    end.Print("BETWEEN", true);
    end.AwaitCell();
    end.Print("two");
    end.Done();
  });
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  // What is printed behind Done may belong to either cell, but is never lost.
  std::string all = scripted.Text(Stream::kStdout);
  usleep(50000);
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  all += scripted.Text(Stream::kStdout);
  CHECK((all == "one[late:between]two" || all == "onebetweentwo"));
}

TEST_CASE("what Done found in the pipes is drained, all of it") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Print(std::string(200000, 'a'));
    end.Print(std::string(50000, 'b'), true);
    end.Done();
  });
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout) == std::string(200000, 'a'));
  CHECK(scripted.Text(Stream::kStderr) == std::string(50000, 'b'));
}

TEST_CASE("any bytes are output") {
  const std::string bytes("\0\xff\xc3(\r\n\x1b[31m", 11);
  ScriptedWorker scripted([&](WorkerEnd& end) {
    end.AwaitCell();
    end.Print(bytes);
    end.Done();
  });
  scripted.Run();
  CHECK(scripted.Text(Stream::kStdout) == bytes);
}

TEST_CASE("a small print is seen while the cell runs") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Print("now");
    usleep(500000);
    end.Done();
  });
  const absl::Time start = SteadyNow();
  absl::Duration seen = absl::InfiniteDuration();
  scripted.on_event = [&](const CellEvent& event) {
    if (std::holds_alternative<OutputChunk>(event)) seen = std::min(seen, SteadyNow() - start);
  };
  scripted.Run();
  CHECK(seen < absl::Milliseconds(400));
}

TEST_CASE("a flood keeps its head and tail; the rest is counted; memory stays flat") {
  constexpr int64_t kTotal = 200 << 20;
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Print("HEAD");
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 200; ++i) end.Print(i < 199 ? block : block.substr(8));
    end.Print("TAIL");
    end.Done();
  });
  const int64_t before = ResidentBytes();
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(report.usage.stdout_bytes == kTotal);
  const std::string text = scripted.Text(Stream::kStdout);
  CHECK(text.substr(0, 5) == "HEADx");
  CHECK(text.substr(text.size() - 5) == "xTAIL");
  const auto gaps = scripted.Of<OutputGap>();
  REQUIRE(gaps.size() == 1);
  int64_t shown = 0;
  for (const auto& chunk : scripted.Of<OutputChunk>()) {
    shown += static_cast<int64_t>(chunk.data.size());
    CHECK(chunk.data.size() <= 256 * 1024);
  }
  CHECK(shown == (1 << 20) + (1 << 16));
  CHECK(gaps[0].bytes == kTotal - shown);
  CHECK(ResidentBytes() - before < 64 << 20);
}

TEST_CASE("more output than allowed in all ends the interpreter") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    const std::string block(1 << 16, 'x');
    for (;;) end.Print(block);
  });
  scripted.limits.output.max_total_bytes = 4 << 20;
  const Worker::Report report = scripted.Run();
  const Verdict verdict = VerdictOf(report);
  CHECK(verdict.outcome == Outcome::kOutputLimit);
  CHECK(verdict.state == StateFate::kLost);
  CHECK(report.usage.stdout_bytes > 4 << 20);
  CHECK(report.usage.stdout_bytes < 8 << 20);
  CHECK_FALSE(scripted.worker().alive());
}

TEST_CASE("a great many tiny writes do not become as many events") {
  constexpr int kWrites = 200000;
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    for (int i = 0; i < kWrites; ++i) end.Print("x");
    end.Done();
  });
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout) == std::string(kWrites, 'x'));
  CHECK(scripted.events.size() < 2000);
}

TEST_CASE("a child that holds the pipes open holds up nothing") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    if (fork() == 0) {
      for (;;) pause();
    }
    end.Print("parent");
    end.Done();
  });
  const absl::Time start = SteadyNow();
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout) == "parent");
  CHECK(SteadyNow() - start < absl::Seconds(5));
}

TEST_CASE("a child that goes on printing for ever holds up nothing") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    if (fork() == 0) {
      const std::string block(1 << 16, 'c');
      for (;;) end.Print(block);
    }
    end.Done();
  });
  const absl::Time start = SteadyNow();
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  CHECK(SteadyNow() - start < absl::Seconds(5));
}

TEST_CASE("a worker that dies leaves its last words") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    if (fork() == 0) {  // keeps the pipes open
      for (;;) pause();
    }
    end.Print("last words");
    _exit(5);
  });
  const Worker::Report report = scripted.Run();
  const Verdict verdict = VerdictOf(report);
  CHECK(verdict.outcome == Outcome::kExited);
  CHECK(verdict.exit_status == 5);
  CHECK(verdict.state == StateFate::kLost);
  CHECK(scripted.Text(Stream::kStdout) == "last words");
}

TEST_CASE("closed pipes are no trouble and no busy loop") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    close(end.out);
    close(end.err);
    usleep(300000);
    end.Done();
  });
  const clock_t before = clock();
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  CHECK(static_cast<double>(clock() - before) / CLOCKS_PER_SEC < 0.2);
}

TEST_CASE("a slow reader of events slows the cell down and loses nothing") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    for (int i = 0; i < 20; ++i) {
      end.Print(std::string(30000, static_cast<char>('a' + i)));
      end.Display("d");
    }
    end.Done();
  });
  scripted.on_event = [](const CellEvent&) { usleep(5000); };
  CHECK(VerdictOf(scripted.Run()).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout).size() == 600000);
  CHECK(scripted.Of<DisplayData>().size() == 20);
}

TEST_CASE("progress is told while nothing is printed") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    usleep(2500000);
    end.Done();
  });
  scripted.Run();
  const auto progress = scripted.Of<Progress>();
  REQUIRE(progress.size() == 2);
  CHECK(progress[1].elapsed > absl::Milliseconds(1900));
}

}  // namespace
}  // namespace cellblock
