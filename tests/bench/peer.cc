#include "tests/bench/peer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock::bench {

absl::StatusOr<std::unique_ptr<Peer>> Peer::Start(std::vector<std::string> words) {
  CELLBLOCK_ASSIGN_OR_RETURN(auto in, Pipe());
  CELLBLOCK_ASSIGN_OR_RETURN(auto out, Pipe());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.first.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.second.get(), STDOUT_FILENO);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto peer = std::unique_ptr<Peer>(new Peer());
  const int error =
      posix_spawnp(&peer->pid_, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    peer->pid_ = -1;
    return ErrnoStatus("start", words[0], error);
  }
  peer->to_ = std::move(in.second);
  peer->from_ = std::move(out.first);
  return peer;
}

Peer::~Peer() {
  to_.reset();
  from_.reset();
  while (pid_ > 0 && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

absl::Status Peer::WriteLine(const std::string& line) {
  return WriteAll(to_.get(), absl::StrCat(line, "\n"));
}

absl::StatusOr<std::string> Peer::ReadLine() {
  while (true) {
    const size_t end = read_.find('\n');
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> buffer;
    const ssize_t count = read(from_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus("read", "peer", errno);
    if (count == 0) return absl::UnavailableError("the peer ended before it answered");
    read_.append(buffer.data(), static_cast<size_t>(count));
  }
}

}  // namespace cellblock::bench
