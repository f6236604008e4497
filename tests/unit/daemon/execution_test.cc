// The log of one execution: sequence numbers, readers, and what a departed reader causes.
#include "daemon/session/execution.h"

#include <thread>

#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {
namespace {

constexpr absl::Duration kSoon = absl::Milliseconds(20);
constexpr absl::Duration kLong = absl::Seconds(20);

struct Log {
  explicit Log(DisconnectRule rule = DisconnectRule::kCancelCell) {
    runner = MakeScriptedRunner(record);
    Execution::Options options;
    options.session_id = "s";
    options.id = "e";
    options.on_disconnect = rule;
    execution = std::make_shared<Execution>(options, runner->Prepare({}, {}), clock.get());
  }
  void Say(const std::string& text) { execution->Append(1, OutputChunk{Stream::kStdout, text}); }
  void End() {
    CellResult result;
    result.outcome = Outcome::kOk;
    execution->Finish(1, result);
  }
  std::shared_ptr<Record> record = std::make_shared<Record>();
  TestClock clock;
  std::unique_ptr<CellRunner> runner;
  std::shared_ptr<Execution> execution;
};

std::vector<int64_t> ReadAll(Execution::Reader* reader) {
  std::vector<int64_t> sequences;
  while (!reader->done()) {
    for (const auto& event : reader->Next(kLong)) sequences.push_back(event->sequence);
  }
  return sequences;
}

TEST_CASE("events are numbered from 1 and the result comes last") {
  Log log;
  log.Say("a");
  log.Say("b");
  log.End();
  Execution::Reader reader(log.execution, 0);
  CHECK(ReadAll(&reader) == std::vector<int64_t>{1, 2, 3});
  CHECK(log.execution->last_sequence() == 3);
  CHECK(log.execution->result()->outcome == Outcome::kOk);
}

TEST_CASE("a reader may attach after any event, also after the end") {
  Log log;
  log.Say("a");
  log.Say("b");
  log.End();
  Execution::Reader middle(log.execution, 2);
  CHECK(ReadAll(&middle) == std::vector<int64_t>{3});
  Execution::Reader beyond(log.execution, 99);
  CHECK(ReadAll(&beyond).empty());
}

TEST_CASE("a reader that waits is woken by the next event") {
  Log log;
  Execution::Reader reader(log.execution, 0);
  CHECK(reader.Next(kSoon).empty());
  CHECK_FALSE(reader.done());
  std::thread writer([&] { log.Say("later"); });
  CHECK(reader.Next(kLong).size() == 1);
  writer.join();
}

TEST_CASE("several readers see the same events while a writer writes") {
  Log log;
  constexpr int kEvents = 2000;
  std::vector<std::thread> readers;
  std::vector<std::vector<int64_t>> seen(3);
  for (auto& sequences : seen) {
    readers.emplace_back([&log, &sequences] {
      Execution::Reader reader(log.execution, 0);
      sequences = ReadAll(&reader);
    });
  }
  for (int i = 0; i < kEvents; ++i) log.Say("x");
  log.End();
  for (std::thread& reader : readers) reader.join();
  for (const auto& sequences : seen) {
    REQUIRE(sequences.size() == kEvents + 1);
    CHECK(sequences.front() == 1);
    CHECK(sequences.back() == kEvents + 1);
  }
}

TEST_CASE("the last reader to leave before the end cancels the cell") {
  Log log;
  {
    Execution::Reader first(log.execution, 0);
    { Execution::Reader second(log.execution, 0); }
    CHECK(log.record->cancels == 0);
  }
  CHECK(log.record->cancels == 1);
}

TEST_CASE("a cell that is to be kept runs on without readers") {
  Log log(DisconnectRule::kKeepRunning);
  { Execution::Reader reader(log.execution, 0); }
  CHECK(log.record->cancels == 0);
}

TEST_CASE("leaving after the end cancels nothing, and the cell is let go") {
  Log log;
  {
    Execution::Reader reader(log.execution, 0);
    log.End();
  }
  CHECK(log.record->cancels == 0);
  CHECK(log.execution->cell() == nullptr);
}

TEST_CASE("AwaitResult gives null after its time") {
  Log log;
  CHECK(log.execution->AwaitResult(kSoon) == nullptr);
  log.End();
  CHECK(log.execution->AwaitResult(kSoon) != nullptr);
}

TEST_CASE("the log knows about how much it holds") {
  Log log;
  log.Say(std::string(100000, 'x'));
  CHECK(log.execution->bytes() >= 100000);
  CHECK(log.execution->bytes() < 110000);
}

}  // namespace
}  // namespace cellblock
