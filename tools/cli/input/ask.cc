#include "tools/cli/input/ask.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cellblock::cli {
namespace {

constexpr size_t kMaxLine = size_t{1} << 20;

class EchoOff {
 public:
  EchoOff() {
    if (tcgetattr(STDIN_FILENO, &old_) != 0) return;
    termios silent = old_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~EchoOff() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &old_);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

 private:
  termios old_ = {};
  bool changed_ = false;
};

}  // namespace

std::optional<Answer> AskLine(int wake_fd, Echo echo) {
  std::optional<EchoOff> silence;
  if (echo == Echo::kOff) silence.emplace();
  Answer answer;
  while (answer.text.size() < kMaxLine) {
    std::array<pollfd, 2> wait = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake_fd, POLLIN, 0}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return std::nullopt;
    if (wait[1].revents != 0) return std::nullopt;
    if (wait[0].revents == 0) continue;
    char byte;
    const ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      answer.end_of_file = answer.text.empty();
      return answer;
    }
    if (byte == '\n') return answer;
    answer.text.push_back(byte);
  }
  return answer;
}

}  // namespace cellblock::cli
