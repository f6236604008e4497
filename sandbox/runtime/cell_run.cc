#include "sandbox/runtime/cell_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/base/clock.h"
#include "sandbox/runtime/cell_control.h"

namespace cellblock {
namespace {

constexpr size_t kReadSize = 256 * 1024;
constexpr size_t kMaxDisplayBytes = 64 << 20;
constexpr int64_t kMaxDatagrams = 100000;
constexpr int64_t kMaxStale = 10000;
constexpr int kFramesAtOnce = 64;  // then pipes, clocks and controls have their turn
constexpr absl::Duration kQuietTime = absl::Seconds(1);
constexpr absl::Duration kCpuPeriod = absl::Milliseconds(100);
constexpr absl::Duration kDeathTime = absl::Seconds(5);
constexpr absl::Duration kReportTime = absl::Seconds(2);
constexpr absl::Duration kControlLostTime = absl::Milliseconds(500);

uint64_t RandomCell() {
  uint64_t cell = 0;
  while (cell == 0) {
    if (getrandom(&cell, sizeof cell, 0) != sizeof cell) cell = 0;
  }
  return cell;
}

size_t PipeSize(int fd) {
  const int size = fcntl(fd, F_GETPIPE_SZ);
  return size > 0 ? static_cast<size_t>(size) : 65536;
}

size_t BytesOf(const MimeBundle& bundle) {
  size_t bytes = 0;
  for (const auto& [type, data] : bundle.data) bytes += data.size();
  return bytes;
}

}  // namespace

CellRun::CellRun(Worker::State& worker, const CellLimits& limits, CellControl& control,
                 absl::FunctionRef<void(CellEvent)> sink)
    : worker_(worker),
      limits_(limits),
      control_(*control.state_),
      sink_(sink),
      output_(limits.output, sink),
      evidence_(report_.evidence),
      sources_{Source{Stream::kStdout, worker.out.get()},
               Source{Stream::kStderr, worker.err.get()}},
      buffer_(kReadSize) {}

Worker::Report CellRun::Run(const CellRequest& request) {
  started_ = last_event_ = next_cpu_check_ = SteadyNow();
  evidence_.before = worker_.counters();
  evidence_.wall_limit = limits_.wall;
  evidence_.cpu_limit = limits_.cpu;
  evidence_.output_limit = limits_.output.max_total_bytes;
  cpu_at_start_ = evidence_.before.cpu_usec;
  PassOnLateOutput();
  Start(request);
  while (!ended_) Step();
  Finish();
  return std::move(report_);
}

// Written after the last cell had ended: it belongs to no cell.
void CellRun::PassOnLateOutput() {
  for (Source& source : sources_) {
    size_t left = PipeSize(source.fd);
    while (left > 0) {
      const ssize_t count = read(source.fd, buffer_.data(), std::min(left, buffer_.size()));
      if (count <= 0) break;
      left -= static_cast<size_t>(count);
      sink_(OutputChunk{source.stream, std::string(buffer_.data(), static_cast<size_t>(count)),
                        true});
    }
  }
}

void CellRun::Start(const CellRequest& request) {
  FrameChannel::Message stale;
  bool again = true;
  for (int64_t i = 0; again && i < kMaxStale; ++i) worker_.channel.Receive(&stale, &again);
  worker_.channel.ExpectCell(RandomCell());
  offer_input_ = request.offer_input;
  worker_.channel.Queue(FrameType::kRunCell, EncodeRunCell(request));
  worker_.channel.Flush();
  // The worker would say the same, one wake-up later. A silent cell counts with the one before.
  Emit(CellStarted{worker_.cells_counted + (request.silent ? 0 : 1)});
}

void CellRun::Step() {
  const int16_t sending = worker_.channel.sending() ? POLLOUT : 0;
  pollfd polled[] = {{worker_.channel.fd(), static_cast<int16_t>(POLLIN | sending), 0},
                     {worker_.pidfd.get(), POLLIN, 0},
                     {control_.wake.get(), POLLIN, 0},
                     {sources_[0].ended ? -1 : sources_[0].fd, POLLIN, 0},
                     {sources_[1].ended ? -1 : sources_[1].fd, POLLIN, 0},
                     {init_gone_ ? -1 : worker_.init->fd(), POLLIN, 0}};
  if (control_lost_) polled[0].fd = -1;
  if (poll(polled, std::size(polled), PollTimeout()) < 0 && errno != EINTR) {
    evidence_.infra_failure = true;
    evidence_.infra_message = absl::StrCat("poll failed with errno ", errno);
    KillNow();
  }
  // Output first: what was printed before a display comes before it.
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (polled[3 + i].revents != 0) ReadPipe(sources_[i], kReadSize);
  }
  if (polled[2].revents != 0) ReadControl();
  if (polled[5].revents != 0) worker_.init->TakeReports();
  init_gone_ = init_gone_ || (polled[5].revents & (POLLHUP | POLLERR)) != 0;
  worker_.channel.Flush();
  if (polled[0].revents != 0 && !ended_ && !control_lost_) ReadFrames(kFramesAtOnce);
  if (!ended_ && polled[1].revents != 0) NoteDeath();
  if (!ended_) CheckClocks();
}

int CellRun::PollTimeout() const {
  absl::Time next = last_event_ + kQuietTime;
  // Once a limit has fired, the stopping times wake the loop.
  if (evidence_.timer == Evidence::Timer::kNotFired) {
    next = std::min(next, started_ + limits_.wall);
    if (limits_.cpu > absl::ZeroDuration()) next = std::min(next, next_cpu_check_);
  }
  for (const std::optional<absl::Time>& time :
       {second_interrupt_at_, kill_at_, give_up_at_, control_end_at_, output_.due()}) {
    if (time.has_value()) next = std::min(next, *time);
  }
  const int64_t left =
      absl::ToInt64Milliseconds(absl::Ceil(next - SteadyNow(), absl::Milliseconds(1)));
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1000));
}

void CellRun::ReadControl() {
  eventfd_t ignored;
  eventfd_read(control_.wake.get(), &ignored);
  bool interrupt, kill;
  std::optional<absl::Duration> cancel;
  std::deque<CellControl::State::Input> inputs;
  {
    const std::lock_guard<std::mutex> lock(control_.mutex);
    interrupt = std::exchange(control_.interrupt, false);
    kill = std::exchange(control_.kill, false);
    cancel = std::exchange(control_.cancel_grace, std::nullopt);
    inputs.swap(control_.inputs);
  }
  using Act = Evidence::CallerAct;
  for (const CellControl::State::Input& input : inputs) {
    // A worker that does not read it is ended by the clocks.
    worker_.channel.Queue(FrameType::kInputReply, EncodeInputReply(input.text, input.end_of_file));
  }
  if (interrupt) {
    if (evidence_.caller == Act::kNone) evidence_.caller = Act::kInterrupt;
    SendInterrupt();
  }
  if (cancel.has_value()) {
    evidence_.caller = Act::kCancel;
    BeginStopping(*cancel);
  }
  if (kill) {
    evidence_.caller = Act::kKill;
    KillNow();
  }
}

void CellRun::ReadFrames(int limit) {
  for (int i = 0; i < limit && !ended_; ++i) {
    FrameChannel::Message message;
    bool again = false;
    const FrameChannel::Read read = worker_.channel.Receive(&message, &again);
    if (read == FrameChannel::Read::kEnd) {
      // The worker closes it only by dying; user code may have closed it: then it cannot go on.
      control_lost_ = true;
      control_end_at_ = SteadyNow() + kControlLostTime;
      return;
    }
    if (read == FrameChannel::Read::kMessage) Handle(std::move(message));
    if (!again) return;
  }
  if (!ended_ && worker_.channel.received() > kMaxDatagrams) {
    evidence_.frame_flood = true;
    KillNow();
  }
}

void CellRun::Handle(FrameChannel::Message message) {
  const size_t bytes = message.payload.size();
  std::optional<WorkerMessage> decoded = DecodeWorkerMessage(message.type, message.payload);
  if (!decoded.has_value()) {
    ++report_.dropped_frames;
    return;
  }
  if (auto* done = std::get_if<DoneMessage>(&decoded->body)) {
    evidence_.done = done->status;
    evidence_.exit_code = done->exit_code;
    report_.execution_count = done->execution_count;
    worker_.cells_counted = done->execution_count;
    report_.user_expressions = std::move(done->expressions);
    if (done->value.has_value()) {
      DrainPipes();
      Show(*std::move(done->value), bytes);
    }
    ended_ = true;
    return;
  }
  CellEvent& event = std::get<CellEvent>(decoded->body);
  const auto* error = std::get_if<CellError>(&event);
  if (error != nullptr && evidence_.error.has_value()) {
    ++report_.dropped_frames;  // a cell has one
    return;
  }
  // What was printed before this fact must be seen before it.
  DrainPipes();
  if (error != nullptr) evidence_.error = *error;
  if (std::holds_alternative<InputRequest>(event)) {
    if (!offer_input_) {
      ++report_.dropped_frames;
      return;
    }
    const std::lock_guard<std::mutex> lock(control_.mutex);
    control_.waiting_for_input = true;
  }
  Show(std::move(event), bytes);
  if (decoded->wants_reply) worker_.channel.Queue(FrameType::kShown, "");
}

void CellRun::Show(CellEvent event, size_t bytes) {
  const bool shown = std::holds_alternative<DisplayData>(event) ||
                     std::holds_alternative<ExecuteResult>(event) ||
                     std::holds_alternative<ClearOutput>(event);
  if (shown) {
    size_t size = bytes;
    if (const auto* display = std::get_if<DisplayData>(&event)) size = BytesOf(display->bundle);
    if (events_shown_ >= limits_.output.max_events || display_bytes_ + size > kMaxDisplayBytes) {
      ++events_dropped_;
      return;
    }
    ++events_shown_;
    display_bytes_ += size;
  }
  Emit(std::move(event));
}

void CellRun::Emit(CellEvent event) {
  output_.Flush();
  last_event_ = SteadyNow();
  sink_(std::move(event));
}

void CellRun::ReadPipe(Source& source, size_t limit) {
  while (limit > 0) {
    const ssize_t count = read(source.fd, buffer_.data(), std::min(limit, buffer_.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) source.ended = true;
    if (count <= 0) return;
    last_event_ = SteadyNow();
    limit -= static_cast<size_t>(count);
    output_.Add(source.stream, absl::string_view(buffer_.data(), static_cast<size_t>(count)));
    if (output_.overflowed() && !evidence_.output_overflow) {
      evidence_.output_overflow = true;
      KillNow();
    }
  }
}

// The worker flushed before it said Done, so all of the cell's bytes are in the pipes now. What a
// background writer adds meanwhile is bounded by their size.
void CellRun::DrainPipes() {
  for (Source& source : sources_) {
    if (!source.ended) ReadPipe(source, PipeSize(source.fd));
  }
}

void CellRun::CheckClocks() {
  const absl::Time now = SteadyNow();
  using Timer = Evidence::Timer;
  if (evidence_.timer == Timer::kNotFired && now >= started_ + limits_.wall) {
    evidence_.timer = Timer::kWall;
    BeginStopping(limits_.grace);
  }
  if (limits_.cpu > absl::ZeroDuration() && evidence_.timer == Timer::kNotFired &&
      now >= next_cpu_check_) {
    next_cpu_check_ = now + kCpuPeriod;
    const absl::Duration used = absl::Microseconds(worker_.counters().cpu_usec - cpu_at_start_);
    if (used >= limits_.cpu) {
      evidence_.timer = Timer::kCpu;
      BeginStopping(limits_.grace);
    }
  }
  if (second_interrupt_at_.has_value() && now >= *second_interrupt_at_) {
    second_interrupt_at_.reset();
    SendInterrupt();
  }
  if (kill_at_.has_value() && now >= *kill_at_) KillNow();
  if (control_end_at_.has_value() && now >= *control_end_at_) KillNow();
  if (output_.due().has_value() && now >= *output_.due()) output_.Flush();
  if (give_up_at_.has_value() && now >= *give_up_at_) {
    evidence_.infra_failure = true;
    evidence_.infra_message = "the interpreter could not be killed";
    ended_ = true;
  }
  if (now >= last_event_ + kQuietTime) {
    Emit(Progress{Elapsed(), absl::Microseconds(worker_.counters().cpu_usec - cpu_at_start_),
                  ReadMemoryInUse(worker_.leaf.get())});
  }
}

void CellRun::SendInterrupt() {
  worker_.init->SignalGroup(worker_.pid, SIGINT).IgnoreError();  // a dead one shows on its pidfd
}

void CellRun::BeginStopping(absl::Duration grace) {
  const absl::Time now = SteadyNow();
  SendInterrupt();
  second_interrupt_at_ = now + grace / 2;
  kill_at_ = std::min(kill_at_.value_or(absl::InfiniteFuture()), now + grace);
}

void CellRun::KillNow() {
  kill_at_.reset();
  second_interrupt_at_.reset();
  control_end_at_.reset();
  if (give_up_at_.has_value()) return;
  give_up_at_ = SteadyNow() + kDeathTime;
  worker_.KillLeaf();
}

void CellRun::NoteDeath() {
  // Its last frames may say what it raised; they can no longer end the cell.
  const Evidence::Frame done = evidence_.done;
  ReadFrames(kFramesAtOnce);
  evidence_.done = done;
  ended_ = true;
  evidence_.worker_gone = true;
  worker_.gone = true;
  worker_.KillLeaf();  // children that it left behind
  const std::optional<WaitReport> wait =
      worker_.init->AwaitExit(worker_.pid, SteadyNow() + kReportTime);
  if (wait.has_value()) evidence_.wait_status = wait->status;
}

// The worker may have died behind its Done, or be about to: a kill that was asked for holds.
void CellRun::SettleDeath() {
  if (evidence_.worker_gone || evidence_.infra_failure) return;
  {
    const std::lock_guard<std::mutex> lock(control_.mutex);
    if (control_.kill) evidence_.caller = Evidence::CallerAct::kKill;
  }
  if (evidence_.caller == Evidence::CallerAct::kKill) KillNow();
  const absl::Duration patience =
      give_up_at_.has_value() ? *give_up_at_ - SteadyNow() : absl::ZeroDuration();
  pollfd polled{worker_.pidfd.get(), POLLIN, 0};
  const int64_t left = std::max<int64_t>(absl::ToInt64Milliseconds(patience), 0);
  if (poll(&polled, 1, static_cast<int>(left)) > 0) NoteDeath();
}

void CellRun::Finish() {
  SettleDeath();
  DrainPipes();
  output_.Finish();
  {
    const std::lock_guard<std::mutex> lock(control_.mutex);
    control_.waiting_for_input = false;
  }
  evidence_.after = worker_.counters();
  report_.dropped_frames += worker_.channel.dropped();
  report_.usage.wall = Elapsed();
  report_.usage.cpu = absl::Microseconds(evidence_.after.cpu_usec - cpu_at_start_);
  report_.usage.peak_memory_bytes = evidence_.after.memory_peak;
  report_.usage.peak_is_per_session = evidence_.after.memory_peak > 0;
  report_.usage.stdout_bytes = output_.bytes(Stream::kStdout);
  report_.usage.stderr_bytes = output_.bytes(Stream::kStderr);
  if (output_.dropped() > 0) {
    report_.limit_events.push_back(
        {"output", output_.dropped(),
         absl::StrCat(output_.dropped(), " bytes between head and tail were dropped")});
  }
  if (events_dropped_ > 0) {
    report_.limit_events.push_back(
        {"frames", events_dropped_,
         absl::StrCat(events_dropped_, " displays above the cap were dropped")});
  }
  worker_.channel.ExpectCell(0);
}

}  // namespace cellblock
