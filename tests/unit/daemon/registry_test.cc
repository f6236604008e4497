// Admission, look-up by tenant, idempotent creation and expiry.
#include <set>
#include <thread>

#include "daemon/session/error.h"
#include "daemon/session/random_id.h"
#include "daemon/session/session_registry.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {
namespace {

struct Rig {
  explicit Rig(int max_sessions = 8)
      : registry(ScriptedFactory(record), {max_sessions, 4}, Retention{}, clock.get()) {}
  std::string Create(const std::string& tenant = kLocalTenant, const std::string& key = "") {
    auto session = registry.Create(TestSpec(tenant), key);
    REQUIRE(session.ok());
    return (*session)->id();
  }
  std::shared_ptr<Record> record = std::make_shared<Record>();
  TestClock clock;
  SessionRegistry registry;
};

TEST_CASE("another tenant's session, an unknown id and a malformed one look the same") {
  Rig rig;
  const std::string mine = rig.Create("local");
  const std::string foreign = rig.Create("other");
  CHECK(rig.registry.Find("local", mine).ok());
  const std::string ids[] = {foreign, std::string(32, '0'),   "",
                             "../x",  std::string(5000, 'a'), std::string("a\0b", 3)};
  for (const std::string& id : ids) {
    const auto found = rig.registry.Find("local", id);
    CHECK(found.status().code() == absl::StatusCode::kNotFound);
    CHECK(DetailOf(found.status()).reason == "SESSION_NOT_FOUND");
    CHECK(rig.registry.Delete("local", id).status().code() == absl::StatusCode::kNotFound);
  }
  CHECK(rig.registry.Find("other", foreign).ok());
}

TEST_CASE("a tenant lists only its own sessions") {
  Rig rig;
  const std::string mine = rig.Create("local");
  rig.Create("other");
  const auto listed = rig.registry.List("local");
  REQUIRE(listed.size() == 1);
  CHECK(listed[0]->id() == mine);
}

TEST_CASE("ids are 32 hex digits and do not repeat") {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(RandomId());
  CHECK(ids.size() == 1000);
  CHECK(ids.begin()->size() == 32);
}

TEST_CASE("the server takes as many sessions as it may, and says so") {
  Rig rig(/*max_sessions=*/2);
  const std::string first = rig.Create();
  rig.Create();
  const auto refused = rig.registry.Create(TestSpec(), "");
  CHECK(refused.status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(DetailOf(refused.status()).reason == "TOO_MANY_SESSIONS");
  CHECK(DetailOf(refused.status()).retryable);
  CHECK(rig.registry.Delete(kLocalTenant, first).ok());
  CHECK(rig.registry.Create(TestSpec(), "").ok());
}

TEST_CASE("a failed creation takes no place and passes its error on") {
  Rig rig(/*max_sessions=*/1);
  rig.record->refuse_create = true;
  CHECK(rig.registry.Create(TestSpec(), "key").status().code() == absl::StatusCode::kInternal);
  rig.record->refuse_create = false;
  CHECK(rig.registry.Create(TestSpec(), "key").ok());
}

TEST_CASE("one key gives one session while it lives, per tenant") {
  Rig rig;
  const std::string first = rig.Create("local", "key");
  CHECK(rig.Create("local", "key") == first);
  CHECK(rig.Create("other", "key") != first);
  CHECK(rig.registry.Delete("local", first).ok());
  CHECK(rig.Create("local", "key") != first);
}

TEST_CASE("concurrent creations with one key make one session") {
  Rig rig;
  std::vector<std::string> ids(6);
  std::vector<std::thread> callers;
  for (std::string& id : ids) {
    callers.emplace_back([&] {
      const auto session = rig.registry.Create(TestSpec(), "key");
      if (session.ok()) id = (*session)->id();
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 1);
  CHECK(rig.record->made == 1);
}

TEST_CASE("expired sessions are closed, with the injected clock") {
  Rig rig;
  const std::string idle = rig.Create();
  rig.clock.Advance(absl::Minutes(20));
  const std::string younger = rig.Create();
  rig.registry.ReapExpired();
  CHECK(rig.registry.size() == 2);
  rig.clock.Advance(absl::Minutes(10));
  rig.registry.ReapExpired();
  CHECK_FALSE(rig.registry.Find(kLocalTenant, idle).ok());
  CHECK(rig.registry.Find(kLocalTenant, younger).ok());
  CHECK(rig.record->destroyed == 1);
}

TEST_CASE("the total lifetime ends a session also while it runs a cell") {
  Rig rig;
  const auto session = *rig.registry.Create(TestSpec(), "");
  const auto running = *session->Execute(TestCell("stubborn"));
  rig.clock.Advance(absl::Hours(23));
  rig.registry.ReapExpired();
  CHECK(rig.registry.size() == 1);
  rig.clock.Advance(absl::Hours(1));
  rig.registry.ReapExpired();
  CHECK(rig.registry.size() == 0);
  CHECK(running->result() != nullptr);
}

TEST_CASE("once stopped nothing new begins, and the reason is told") {
  Rig rig;
  rig.Create();
  rig.registry.StopAccepting("DRAINING");
  const auto refused = rig.registry.Create(TestSpec(), "");
  CHECK(refused.status().code() == absl::StatusCode::kUnavailable);
  CHECK(DetailOf(refused.status()).reason == "DRAINING");
  CHECK_FALSE(rig.registry.CheckAccepting().ok());
  rig.registry.CloseAll();
  CHECK(rig.registry.size() == 0);
}

TEST_CASE("running cells are counted and can be cancelled together") {
  Rig rig;
  std::vector<std::shared_ptr<Execution>> running;
  for (int i = 0; i < 3; ++i) {
    const auto session = *rig.registry.Create(TestSpec(), "");
    running.push_back(*session->Execute(TestCell("block")));
  }
  CHECK(rig.registry.RunningCells() == 3);
  rig.registry.CancelRunningCells();
  for (const auto& execution : running) {
    CHECK(execution->AwaitResult(absl::Seconds(20))->outcome == Outcome::kInterrupted);
  }
  CHECK(rig.registry.RunningCells() == 0);
}

TEST_CASE("sessions come and go from many threads while the reaper runs") {
  Rig rig(/*max_sessions=*/64);
  const Reaper reaper(&rig.registry);
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto session = rig.registry.Create(TestSpec(), "");
        if (!session.ok()) continue;
        const auto execution = (*session)->Execute(TestCell("say x"));
        if (execution.ok()) (*execution)->AwaitResult(absl::Seconds(20));
        rig.registry.ReapExpired();
        rig.registry.Delete(kLocalTenant, (*session)->id()).IgnoreError();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(rig.registry.size() == 0);
  CHECK(rig.record->made == rig.record->destroyed);
}

}  // namespace
}  // namespace cellblock
