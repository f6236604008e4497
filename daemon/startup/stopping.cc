#include "daemon/startup/stopping.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "absl/time/clock.h"
#include "daemon/observe/log.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr int kLauncherLost = 3;
constexpr absl::Duration kDrainPoll = absl::Milliseconds(50);
// After a cancel: the policies' grace and the kill.
constexpr absl::Duration kCancelPatience = absl::Seconds(10);
constexpr absl::Duration kStreamsPatience = absl::Seconds(2);
// Long enough for waiting clients to call once more and be told why.
constexpr absl::Duration kTellClients = absl::Seconds(1);

// Until no cell runs (true), or the deadline or a further cause comes.
bool AwaitIdle(StopWatch* watch, SessionRegistry* registry, absl::Time deadline,
               StopCause* further) {
  while (registry->RunningCells() > 0) {
    const absl::Time now = absl::Now();
    if (now >= deadline) return false;
    *further = watch->Wait(std::min(deadline, now + kDrainPoll));
    if (*further != StopCause::kNone) return false;
  }
  return true;
}

// Running cells get their time, then a cancel. Cut short by a second signal.
StopCause Drain(StopWatch* watch, SessionRegistry* registry, absl::Duration drain_deadline) {
  StopCause further = StopCause::kNone;
  if (AwaitIdle(watch, registry, absl::Now() + drain_deadline, &further)) return further;
  if (further != StopCause::kNone) return further;
  registry->CancelRunningCells();
  AwaitIdle(watch, registry, absl::Now() + kCancelPatience, &further);
  return further;
}

const char* NameOf(StopCause cause) {
  switch (cause) {
    case StopCause::kSignal:
      return "signal";
    case StopCause::kLifelineEnded:
      return "lifeline_ended";
    case StopCause::kLauncherGone:
      return "launcher_gone";
    case StopCause::kNone:
      break;
  }
  return "none";
}

}  // namespace

StopWatch::StopWatch(UniqueFd signals, UniqueFd launcher_gone, UniqueFd lifeline)
    : signals_(std::move(signals)),
      launcher_gone_(std::move(launcher_gone)),
      lifeline_(std::move(lifeline)) {}

absl::StatusOr<StopWatch> StopWatch::Create(int lifeline_fd) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0) return ErrnoStatus("sigmask", "", errno);
  UniqueFd signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid()) return ErrnoStatus("signalfd", "", errno);
  UniqueFd gone(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!gone.valid()) return ErrnoStatus("eventfd", "", errno);
  return StopWatch(std::move(signals), std::move(gone), UniqueFd(lifeline_fd));
}

void StopWatch::NoteLauncherGone() {
  eventfd_write(launcher_gone_.get(), 1);
}

StopCause StopWatch::Wait(absl::Time deadline) {
  for (;;) {
    // Data on the lifeline means nothing; only its end counts. A closed slot is -1: ignored.
    pollfd fds[] = {
        {signals_.get(), POLLIN, 0}, {launcher_gone_.get(), POLLIN, 0}, {lifeline_.get(), 0, 0}};
    const absl::Duration left = deadline - absl::Now();
    const int64_t milliseconds =
        std::clamp<int64_t>(absl::ToInt64Milliseconds(left + absl::Microseconds(999)), 0, 1 << 30);
    const int ready =
        poll(fds, 3, deadline == absl::InfiniteFuture() ? -1 : static_cast<int>(milliseconds));
    if (ready == 0) return StopCause::kNone;
    if (ready < 0) continue;
    if (fds[1].revents != 0) return StopCause::kLauncherGone;
    if (fds[2].revents != 0) return StopCause::kLifelineEnded;
    signalfd_siginfo info;
    if (read(signals_.get(), &info, sizeof info) == sizeof info) return StopCause::kSignal;
  }
}

int ServeUntilStopped(StopWatch* watch, SessionRegistry* registry, RpcServer* server,
                      absl::Duration drain_deadline) {
  StopCause cause = watch->Wait(absl::InfiniteFuture());
  Log(cause == StopCause::kLauncherGone ? LogLevel::kError : LogLevel::kInfo, "stopping",
      {{"cause", NameOf(cause)}, {"sessions", registry->size()}});
  server->StopServing();
  registry->StopAccepting(cause == StopCause::kLauncherGone ? "LAUNCHER_LOST" : "DRAINING");
  const bool launcher_lost = cause == StopCause::kLauncherGone;
  if (cause == StopCause::kSignal) cause = Drain(watch, registry, drain_deadline);
  if (launcher_lost) absl::SleepFor(kTellClients);
  registry->CloseAll();
  server->Shutdown(absl::Now() + kStreamsPatience);
  Log(LogLevel::kInfo, "stopped", {});
  return launcher_lost || cause == StopCause::kLauncherGone ? kLauncherLost : 0;
}

}  // namespace cellblock
