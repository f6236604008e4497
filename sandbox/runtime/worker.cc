#include "sandbox/runtime/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/io.h"
#include "sandbox/runtime/cell_run.h"
#include "sandbox/runtime/worker_messages.h"
#include "sandbox/runtime/worker_state.h"

namespace cellblock {
namespace {

constexpr int kPipeSize = 1 << 20;
constexpr size_t kMaxLastWords = 16 * 1024;

bool IsReadable(int fd, int timeout_ms) {
  pollfd polled{fd, POLLIN, 0};
  int ready;
  do ready = poll(&polled, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool HasEnded(int socket) {
  pollfd polled{socket, 0, 0};
  return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR)) != 0;
}

// What a worker that did not come up printed, for the error.
std::string LastWords(int fd) {
  std::string words(kMaxLastWords, '\0');
  const ssize_t count = read(fd, words.data(), words.size());
  words.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return words;
}

}  // namespace

bool Worker::State::KillLeaf() const {
  if (leaf_kill.valid() && WriteAll(leaf_kill.get(), "1").ok()) return true;
  return init->KillAll().ok();
}

Worker::Worker(WorkerHandles handles, uint32_t incarnation, InitClient* init, int session_group)
    : state_(std::make_unique<State>(std::move(handles), incarnation, init, session_group)) {
  for (const int pipe : {state_->out.get(), state_->err.get()}) {
    fcntl(pipe, F_SETFL, O_NONBLOCK);
    fcntl(pipe, F_SETPIPE_SZ, kPipeSize);  // fewer switches; the default works too
  }
}

Worker::~Worker() = default;

absl::StatusOr<Worker::ReadyInfo> Worker::AwaitReady(absl::Time deadline) {
  bool control_open = true;
  for (;;) {
    const int64_t left = absl::ToInt64Milliseconds(deadline - SteadyNow());
    if (left <= 0) return absl::DeadlineExceededError("the worker did not become ready in time");
    pollfd polled[] = {{control_open ? state_->channel.fd() : -1, POLLIN, 0},
                       {state_->pidfd.get(), POLLIN, 0}};
    if (poll(polled, 2, static_cast<int>(std::min<int64_t>(left, 60000))) < 0) continue;
    FrameChannel::Message message;
    bool again = false;
    const FrameChannel::Read read = polled[0].revents != 0
                                        ? state_->channel.Receive(&message, &again)
                                        : FrameChannel::Read::kNothing;
    if (read == FrameChannel::Read::kEnd) control_open = false;
    if (read == FrameChannel::Read::kMessage && message.type == FrameType::kReady) {
      if (const auto ready = DecodeReady(message.payload)) return *ready;
    }
    if (polled[1].revents != 0 && !again) {
      // With the whole sandbox, as when the launcher is lost: its init went first.
      if (HasEnded(state_->init->fd())) {
        return absl::UnavailableError("the sandbox ended before its interpreter was ready");
      }
      return absl::InternalError(
          absl::StrCat("the worker died before it was ready: ", LastWords(state_->err.get())));
    }
  }
}

Worker::Report Worker::RunCell(const CellRequest& request, const CellLimits& limits,
                               CellControl& control, absl::FunctionRef<void(CellEvent)> sink) {
  return CellRun(*state_, limits, control, sink).Run(request);
}

bool Worker::Kill(absl::Time deadline) {
  if (state_->gone) return true;
  state_->KillLeaf();
  const int64_t left = absl::ToInt64Milliseconds(deadline - SteadyNow());
  state_->gone = IsReadable(state_->pidfd.get(), static_cast<int>(std::max<int64_t>(left, 0)));
  return state_->gone;
}

bool Worker::alive() const {
  return !state_->gone && !IsReadable(state_->pidfd.get(), 0);
}

uint32_t Worker::incarnation() const {
  return state_->channel.incarnation();
}

Counters Worker::ReadCounters() const {
  return state_->counters();
}

}  // namespace cellblock
