#include "tests/unit/sandbox/runtime/fake_init.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sandbox/base/io.h"

namespace cellblock {

FakeInit::FakeInit(Handler handler) : handler_(std::move(handler)) {
  auto sockets = SocketPair();
  if (!sockets.ok()) abort();
  client_ = std::move(sockets->first);
  socket_ = std::move(sockets->second);
  stop_ = UniqueFd(eventfd(0, EFD_CLOEXEC));
  thread_ = std::thread([this] { Serve(); });
}

FakeInit::~FakeInit() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void FakeInit::Send(const init::Message& message, int fd) {
  const size_t size = message.kind == init::Kind::kEntry
                          ? init::kMessageHead + strlen(message.path) + 1
                          : init::kMessageHead + 1;
  const absl::string_view bytes(reinterpret_cast<const char*>(&message), size);
  (fd >= 0 ? SendDatagram(socket_.get(), bytes, {fd}) : SendDatagram(socket_.get(), bytes))
      .IgnoreError();
}

void FakeInit::Reply(uint32_t tag, int error, int64_t value, int fd) {
  init::Message message{};
  message.kind = init::Kind::kReply;
  message.tag = tag;
  message.error = error;
  message.value = value;
  Send(message, fd);
}

void FakeInit::Entry(uint32_t tag, const std::string& path, init::EntryType type, int64_t size) {
  init::Message message{};
  message.kind = init::Kind::kEntry;
  message.tag = tag;
  message.type = type;
  message.value = size;
  message.value2 = 1'500'000'000;  // 1.5 s
  message.value3 = 42;
  message.mode = 0640;
  message.ctime_ns = 7;
  memcpy(message.path, path.c_str(), path.size() + 1);
  Send(message);
}

void FakeInit::Wait(int32_t pid, int status) {
  init::Message message{};
  message.kind = init::Kind::kWait;
  message.pid = pid;
  message.value = status;
  message.value2 = 2'000'000;  // 2 s of CPU
  message.value3 = 3;          // KiB
  Send(message);
}

void FakeInit::HangUp() {
  shutdown(socket_.get(), SHUT_RDWR);
}

void FakeInit::Adopt(int32_t pid, bool report) {
  report_ = report;
  child_pid_ = pid;
  child_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

void FakeInit::Serve() {
  bool open = true;
  for (;;) {
    pollfd polled[] = {{stop_.get(), POLLIN, 0},
                       {open ? socket_.get() : -1, POLLIN, 0},
                       {child_.get(), POLLIN, 0}};
    // Adopt comes from another thread: looked at again now and then.
    if (poll(polled, 3, 10) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    if (polled[2].revents != 0) {
      int status = 0;
      waitpid(child_pid_, &status, 0);
      child_.reset();
      if (report_) Wait(child_pid_, status);
    }
    if (polled[1].revents == 0) continue;
    auto datagram = ReceiveDatagram(socket_.get(), sizeof(init::Request), 1, MSG_DONTWAIT);
    if (!datagram.ok()) continue;
    if (datagram->end) {
      open = false;
      continue;
    }
    init::Request request{};
    memcpy(&request, datagram->data.data(), std::min(datagram->data.size(), sizeof request));
    handler_(*this, request, datagram->fds.empty() ? UniqueFd() : std::move(datagram->fds.front()));
  }
}

}  // namespace cellblock
