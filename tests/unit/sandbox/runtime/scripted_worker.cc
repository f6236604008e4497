#include "tests/unit/sandbox/runtime/scripted_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/runtime/outcome.h"

namespace cellblock {

namespace {

constexpr int kScriptFailed = 99;

void Must(bool good) {
  if (!good) _exit(kScriptFailed);
}

}  // namespace

std::string WorkerEnd::AwaitMessage(FrameType type) {
  std::string message;
  for (;;) {
    auto datagram = ReceiveDatagram(control, kFrameHeaderSize + kMaxFramePayload, 0);
    if (absl::IsUnavailable(datagram.status())) continue;
    if (datagram.ok() && datagram->end) _exit(0);
    Must(datagram.ok());
    const auto header = DecodeFrameHeader(datagram->data);
    Must(header.has_value());
    if (header->type != type) continue;
    cell = header->cell;
    message += datagram->data.substr(kFrameHeaderSize);
    if ((header->flags & kFlagMore) == 0) return message;
  }
}

void WorkerEnd::AwaitCell() {
  Must(request.ParseFromString(AwaitMessage(FrameType::kRunCell)));
}

void WorkerEnd::SendDatagram(const std::string& bytes) {
  ssize_t count;
  do count = send(control, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
}

std::string WorkerEnd::Header(FrameType type, uint16_t flags) const {
  return EncodeFrameHeader({type, flags, kIncarnation, cell});
}

void WorkerEnd::Send(FrameType type, const std::string& payload) {
  size_t at = 0;
  do {
    const size_t size = std::min(kMaxFramePayload, payload.size() - at);
    const bool more = at + size < payload.size();
    SendDatagram(Header(type, more ? kFlagMore : 0) + payload.substr(at, size));
    at += size;
  } while (at < payload.size());
}

void WorkerEnd::Print(const std::string& text, bool to_stderr) {
  WriteAll(to_stderr ? err : out, text).IgnoreError();
}

void WorkerEnd::Display(const std::string& text) {
  internal::Display display;
  auto* form = display.add_forms();
  form->set_type("text/plain");
  form->set_data(text);
  Send(FrameType::kDisplay, display);
}

void WorkerEnd::Done(internal::Done::Status status, int exit_code) {
  internal::Done done;
  done.set_status(status);
  done.set_execution_count(1);
  done.set_exit_code(exit_code);
  Send(FrameType::kDone, done);
}

ScriptedWorker::ScriptedWorker(const Script& script, const ScriptedOptions& options) {
  limits.wall = absl::Seconds(30);
  limits.cpu = absl::ZeroDuration();
  limits.grace = absl::Seconds(2);
  limits.output = {1 << 20, 1 << 16, int64_t{1} << 30, 1000};

  auto control_pair = SocketPair();
  auto out = Pipe();
  auto err = Pipe();
  if (!control_pair.ok() || !out.ok() || !err.ok()) abort();
  pid_ = fork();
  if (pid_ < 0) abort();
  if (pid_ == 0) {
    setpgid(0, 0);
    for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);  // the test program's
    signal(SIGPIPE, SIG_IGN);
    control_pair->first.reset();
    out->first.reset();
    err->first.reset();
    WorkerEnd end{control_pair->second.get(), out->second.get(), err->second.get()};
    script(end);
    // Python ends when the daemon goes; so does the script.
    char rest[64];
    while (recv(end.control, rest, sizeof rest, 0) > 0) continue;
    _exit(0);
  }
  setpgid(pid_, pid_);
  WorkerHandles handles;
  handles.pid = pid_;
  handles.pidfd = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  handles.control = std::move(control_pair->first);
  handles.stdout_pipe = std::move(out->first);
  handles.stderr_pipe = std::move(err->first);
  control_pair->second.reset();
  out->second.reset();
  err->second.reset();
  init_ = std::make_unique<FakeInit>(
      [pid = pid_, options](FakeInit& init, const init::Request& request, UniqueFd) {
        if (request.op == init::Op::kSignalGroup && options.init_signals) {
          kill(-pid, static_cast<int>(request.number));
        }
        if (request.op == init::Op::kKillAll && options.init_signals) kill(-pid, SIGKILL);
        init.Reply(request.tag, 0);
      });
  init_->Adopt(pid_, options.init_reports);
  client_ = std::make_unique<InitClient>(init_->TakeClientEnd());
  worker_ = std::make_unique<Worker>(std::move(handles), kIncarnation, client_.get(), -1);
}

ScriptedWorker::~ScriptedWorker() {
  kill(-pid_, SIGKILL);
  init_.reset();
  waitpid(pid_, nullptr, 0);  // unless the fake init has
}

Worker::Report ScriptedWorker::Run() {
  return Run(CellRequest{.code = "1"});
}

Worker::Report ScriptedWorker::Run(const CellRequest& request) {
  events.clear();
  return worker_->RunCell(request, limits, control, [this](CellEvent event) {
    if (on_event) on_event(event);
    events.push_back(std::move(event));
  });
}

std::string ScriptedWorker::Text(Stream stream) const {
  std::string text;
  for (const CellEvent& event : events) {
    const auto* chunk = std::get_if<OutputChunk>(&event);
    const auto* gap = std::get_if<OutputGap>(&event);
    if (chunk != nullptr && chunk->stream == stream) {
      text += chunk->late ? absl::StrCat("[late:", chunk->data, "]") : chunk->data;
    }
    if (gap != nullptr && gap->stream == stream) absl::StrAppend(&text, "[gap:", gap->bytes, "]");
  }
  return text;
}

Verdict VerdictOf(const Worker::Report& report) {
  return ClassifyOutcome(report.evidence);
}

}  // namespace cellblock
