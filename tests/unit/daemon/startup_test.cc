// The daemon's own session at start, and what ends the daemon.
#include "daemon/startup/startup.h"

#include <csignal>
#include <optional>

#include "absl/time/clock.h"
#include "daemon/startup/stopping.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {
namespace {

constexpr absl::Duration kLong = absl::Seconds(20);

Startup::Options SelfTestOnly() {
  Startup::Options options;
  options.image_cache = false;
  return options;
}

TEST_CASE("the self-test reports once, and its session is destroyed") {
  const auto record = std::make_shared<Record>();
  std::optional<absl::Status> tested;
  Startup startup(SelfTestOnly(), ScriptedFactory(record),
                  [&](const absl::Status& status) { tested = status; });
  CHECK(startup.Wait().ok());
  REQUIRE(tested.has_value());
  CHECK(tested->ok());
  CHECK(record->cells == 1);
  CHECK(record->destroyed == 1);
}

TEST_CASE("a sandbox that cannot be made fails the self-test") {
  const auto record = std::make_shared<Record>();
  record->refuse_create = true;
  std::optional<absl::Status> tested;
  Startup startup(SelfTestOnly(), ScriptedFactory(record),
                  [&](const absl::Status& status) { tested = status; });
  CHECK_FALSE(startup.Wait().ok());
  REQUIRE(tested.has_value());
  CHECK_FALSE(tested->ok());
}

TEST_CASE("without a self-test the daemon is healthy at once, and no session is made") {
  const auto record = std::make_shared<Record>();
  Startup::Options options = SelfTestOnly();
  options.self_test = false;
  std::optional<absl::Status> tested;
  Startup startup(options, ScriptedFactory(record),
                  [&](const absl::Status& status) { tested = status; });
  CHECK(startup.Wait().ok());
  CHECK(tested->ok());
  CHECK(record->made == 0);
}

TEST_CASE("each cause to stop is told apart") {
  auto lifeline = Pipe();
  REQUIRE(lifeline.ok());
  auto watch = StopWatch::Create(lifeline->first.release());
  REQUIRE(watch.ok());
  CHECK(watch->Wait(absl::Now() + absl::Milliseconds(5)) == StopCause::kNone);

  raise(SIGTERM);
  CHECK(watch->Wait(absl::Now() + kLong) == StopCause::kSignal);
  CHECK(watch->Wait(absl::Now()) == StopCause::kNone);  // taken

  lifeline->second.reset();
  CHECK(watch->Wait(absl::Now() + kLong) == StopCause::kLifelineEnded);
  watch->NoteLauncherGone();
  CHECK(watch->Wait(absl::Now() + kLong) == StopCause::kLauncherGone);
}

}  // namespace
}  // namespace cellblock
