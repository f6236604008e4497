#include "tools/cli/interrupts.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "sandbox/base/io.h"
#include "tools/cli/exit_status.h"

namespace cellblock::cli {
namespace {

void Raise(int event_fd) {
  const uint64_t one = 1;
  if (write(event_fd, &one, sizeof one) < 0) return;  // already raised
}

void Tell(absl::string_view text) {
  if (isatty(STDERR_FILENO) == 1) WriteAll(STDERR_FILENO, text).IgnoreError();
}

}  // namespace

Interrupts::Interrupts()
    : stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
  signals_ = UniqueFd(signalfd(-1, &set, SFD_CLOEXEC));
  thread_ = std::thread([this] { Loop(); });
}

Interrupts::~Interrupts() {
  Raise(stop_.get());
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Interrupts::Loop() {
  while (true) {
    std::array<pollfd, 2> wait = {pollfd{signals_.get(), POLLIN, 0},
                                  pollfd{stop_.get(), POLLIN, 0}};
    if (poll(wait.data(), wait.size(), -1) < 0) continue;
    if (wait[1].revents != 0) return;
    signalfd_siginfo info;
    if (read(signals_.get(), &info, sizeof info) == sizeof info) {
      Handle(static_cast<int>(info.ssi_signo));
    }
  }
}

// The calls are made under the lock: Unwatch waits until the client is no longer used.
void Interrupts::Handle(int signal) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++count_;
  const bool ending = signal != SIGINT;
  terminated_ = terminated_ || ending;
  const int give_up = client_ != nullptr ? 3 : 2;
  if (!ending && count_ >= give_up) _exit(kExitMachinery);
  if (client_ == nullptr) {
    interrupted_ = true;
  } else if (ending || count_ == 2) {
    Tell("\ncellblock: killing the interpreter\n");
    client_->Kill(session_id_).status().IgnoreError();
  } else {
    Tell("\ncellblock: interrupting the cell; Ctrl-C again kills its interpreter\n");
    // Too early or too late for the cell: then it is for whoever runs the cells.
    if (!client_->Interrupt(session_id_, execution_id_).value_or(false)) interrupted_ = true;
  }
  Raise(wake_.get());
}

void Interrupts::Watch(SandboxClient* client, const std::string& session_id,
                       const std::string& execution_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_ = client;
  session_id_ = session_id;
  execution_id_ = execution_id;
  count_ = 0;
}

void Interrupts::Unwatch() {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_ = nullptr;
  count_ = 0;
}

bool Interrupts::interrupted() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return interrupted_;
}

bool Interrupts::terminated() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return terminated_;
}

void Interrupts::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t ignored;
  if (read(wake_.get(), &ignored, sizeof ignored) < 0) ignored = 0;
  interrupted_ = false;
  count_ = 0;
}

}  // namespace cellblock::cli
