// One session: its states, one cell at a time, and the three ways to stop a cell.
#include "daemon/session/session.h"

#include "daemon/session/error.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {
namespace {

constexpr absl::Duration kLong = absl::Seconds(20);

struct Rig {
  explicit Rig(int slots_free = 8) : slots(slots_free) {
    session = std::make_shared<Session>("s1", TestSpec(), MakeScriptedRunner(record),
                                        Session::Shared{&store, &slots, clock.get()});
  }
  std::shared_ptr<Execution> Start(const std::string& code, const std::string& id = "") {
    auto execution = session->Execute(TestCell(code, id));
    REQUIRE(execution.ok());
    return *execution;
  }
  CellResult Run(const std::string& code) { return *Start(code)->AwaitResult(kLong); }
  SessionState state() { return session->Describe().state; }

  std::shared_ptr<Record> record = std::make_shared<Record>();
  TestClock clock;
  ExecutionStore store{Retention{}, clock.get()};
  CellSlots slots;
  std::shared_ptr<Session> session;
};

TEST_CASE("a session is idle again before its result can be read") {
  Rig rig;
  for (int i = 0; i < 200; ++i) {
    REQUIRE(rig.Run("say hello").outcome == Outcome::kOk);
  }
  CHECK(rig.state() == SessionState::kIdle);
  CHECK(rig.session->Describe().cells_run == 200);
}

TEST_CASE("a second cell while one runs is refused with SESSION_BUSY") {
  Rig rig;
  const auto running = rig.Start("block");
  const auto second = rig.session->Execute(TestCell("say x"));
  CHECK(second.status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(DetailOf(second.status()).reason == "SESSION_BUSY");
  CHECK(DetailOf(second.status()).retryable);
  CHECK(rig.state() == SessionState::kBusy);
  CHECK(rig.session->Describe().running_execution_id == running->id());
  running->cell()->Interrupt();
  CHECK(running->AwaitResult(kLong)->outcome == Outcome::kInterrupted);
}

TEST_CASE("a known execution id re-attaches and never runs again") {
  Rig rig;
  const auto first = rig.Start("say once", "my-id");
  first->AwaitResult(kLong);
  const auto again = rig.Start("say twice", "my-id");
  CHECK(again == first);
  CHECK(rig.record->cells == 1);
}

TEST_CASE("an id whose result is gone is refused, not run") {
  Rig rig;
  rig.Start("say once", "my-id")->AwaitResult(kLong);
  // The result shows just before the log may be dropped: the session's next cell is after both.
  rig.Run("say x");
  rig.clock.Advance(absl::Hours(1));
  rig.store.DropExpired();
  const auto again = rig.session->Execute(TestCell("say twice", "my-id"));
  CHECK(DetailOf(again.status()).reason == "EXECUTION_EXPIRED");
  CHECK(rig.record->cells == 2);
}

TEST_CASE("a lost interpreter does not end a session and shows in epoch and state") {
  Rig rig;
  CHECK(rig.Run("die").state == StateFate::kLost);
  CHECK(rig.state() == SessionState::kInterpreterLost);
  CHECK(rig.session->Describe().epoch == 1);
  CHECK(rig.Run("say x").epoch == 2);
  CHECK(rig.state() == SessionState::kIdle);
}

TEST_CASE("Kill ends a cell that ignores everything else") {
  Rig rig;
  const auto running = rig.Start("stubborn");
  running->cell()->Interrupt();
  CHECK(running->AwaitResult(absl::Milliseconds(20)) == nullptr);
  CHECK(rig.session->KillInterpreter().ok());
  CHECK(running->result()->state == StateFate::kLost);
}

TEST_CASE("Kill of an idle session ends its interpreter") {
  Rig rig;
  CHECK(rig.session->KillInterpreter().ok());
  CHECK(rig.state() == SessionState::kInterpreterLost);
}

TEST_CASE("a cell's time-out is clamped to the session's") {
  Rig rig;
  CellSpec shorter = TestCell("say x"), longer = TestCell("say x");
  shorter.timeout = absl::Seconds(5);
  longer.timeout = absl::Hours(5);
  CHECK((*rig.session->Execute(shorter))->AwaitResult(kLong)->usage.wall == absl::Seconds(5));
  CHECK((*rig.session->Execute(longer))->AwaitResult(kLong)->usage.wall == absl::Seconds(60));
}

TEST_CASE("without a free slot a cell is refused and may be retried") {
  Rig rig(/*slots_free=*/0);
  const auto refused = rig.session->Execute(TestCell("say x"));
  CHECK(refused.status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(DetailOf(refused.status()).retryable);
}

TEST_CASE("a slot comes back with the end of its cell") {
  Rig rig(/*slots_free=*/1);
  CHECK(rig.Run("say x").outcome == Outcome::kOk);
  CHECK(rig.Run("say x").outcome == Outcome::kOk);
}

TEST_CASE("a session whose sandbox is gone answers UNAVAILABLE") {
  Rig rig;
  rig.record->sandbox_alive = false;
  const auto refused = rig.session->Execute(TestCell("say x"));
  CHECK(refused.status().code() == absl::StatusCode::kUnavailable);
  CHECK(DetailOf(refused.status()).reason == "SANDBOX_LOST");
}

TEST_CASE("Close kills the running cell and destroys the sandbox once") {
  Rig rig;
  const auto running = rig.Start("stubborn");
  const auto report = rig.session->Close();
  REQUIRE(report.ok());
  CHECK(report->uids_released);
  CHECK(running->result() != nullptr);
  CHECK(rig.session->Close().status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(rig.session->Execute(TestCell("say x")).status().code() == absl::StatusCode::kNotFound);
  rig.session.reset();
  CHECK(rig.record->destroyed == 1);
}

TEST_CASE("an idle session expires by its last use, a busy one by its age") {
  Rig rig;
  const absl::Time start = rig.clock.Now();
  rig.clock.Advance(absl::Minutes(10));
  rig.Run("say x");
  CHECK(rig.session->ExpiresAt() == start + absl::Minutes(40));
  const auto running = rig.Start("block");
  CHECK(rig.session->ExpiresAt() == start + absl::Hours(24));
  running->cell()->Interrupt();
  running->AwaitResult(kLong);
  {
    const Session::Use use(rig.session);
    CHECK(rig.session->ExpiresAt() == start + absl::Hours(24));
  }
  CHECK(rig.session->ExpiresAt() == start + absl::Minutes(40));
}

}  // namespace
}  // namespace cellblock
