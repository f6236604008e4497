// What is kept of ended executions, and for how long.
#include "daemon/session/execution_store.h"

#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {
namespace {

struct Store {
  explicit Store(Retention retention = {}) : store(retention, clock.get()) {}
  std::shared_ptr<Execution> Add(const std::string& session, const std::string& id) {
    Execution::Options options;
    options.session_id = session;
    options.id = id;
    auto execution = std::make_shared<Execution>(options, nullptr, clock.get());
    store.Add(execution);
    return execution;
  }
  void AddEnded(const std::string& session, const std::string& id, size_t bytes) {
    const auto execution = Add(session, id);
    execution->Append(1, OutputChunk{Stream::kStdout, std::string(bytes, 'x')});
    execution->Finish(1, CellResult{});
    store.Ended(execution);
  }
  TestClock clock;
  ExecutionStore store;
};

TEST_CASE("an execution is found by session and id together") {
  Store s;
  s.Add("one", "e");
  CHECK(s.store.Find("one", "e") != nullptr);
  CHECK(s.store.Find("two", "e") == nullptr);
  CHECK(s.store.Find("one", "f") == nullptr);
}

TEST_CASE("ended executions go after the retention time, running ones never") {
  Store s;
  s.Add("one", "running");
  s.AddEnded("one", "ended", 10);
  s.clock.Advance(absl::Minutes(9));
  s.store.DropExpired();
  CHECK(s.store.Find("one", "ended") != nullptr);
  s.clock.Advance(absl::Minutes(2));
  s.store.DropExpired();
  CHECK(s.store.Find("one", "ended") == nullptr);
  CHECK(s.store.Find("one", "running") != nullptr);
  CHECK(s.store.bytes() == 0);
}

TEST_CASE("beyond the budget the least recently read goes first") {
  Store s({absl::Minutes(10), 30000});
  s.AddEnded("one", "a", 10000);
  s.AddEnded("one", "b", 10000);
  REQUIRE(s.store.Find("one", "a") != nullptr);  // read: now younger than b
  s.AddEnded("two", "c", 10000);
  CHECK(s.store.Find("one", "a") != nullptr);
  CHECK(s.store.Find("one", "b") == nullptr);
  CHECK(s.store.Find("two", "c") != nullptr);
  CHECK(s.store.bytes() <= 30000);
}

TEST_CASE("an id whose log is gone is remembered, so that it never runs twice") {
  Store s({absl::Minutes(10), 100});
  s.AddEnded("one", "big", 1000);
  CHECK(s.store.Find("one", "big") == nullptr);
  CHECK(s.store.RanBefore("one", "big"));
  CHECK_FALSE(s.store.RanBefore("one", "other"));
}

TEST_CASE("a dropped session leaves nothing, and its late end is harmless") {
  Store s;
  const auto running = s.Add("one", "running");
  s.AddEnded("one", "ended", 1000);
  s.store.DropSession("one");
  CHECK(s.store.bytes() == 0);
  CHECK(s.store.Find("one", "ended") == nullptr);
  running->Finish(1, CellResult{});
  s.store.Ended(running);
  CHECK(s.store.bytes() == 0);
}

}  // namespace
}  // namespace cellblock
