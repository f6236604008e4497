#include "tools/client/embedded_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/client/locate.h"

namespace cellblock {
namespace {

constexpr size_t kLogTail = 4096;
constexpr absl::Duration kStopTimeout = absl::Seconds(10);
// Numbers that the child gives to what it inherits.
constexpr int kChildLifeline = 3;

bool WaitReadable(int fd, absl::Duration timeout) {
  pollfd wait = {fd, POLLIN, 0};
  return poll(&wait, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout))) > 0;
}

std::string PolicyDir(const EmbeddedOptions& options) {
  const char* given = std::getenv("CELLBLOCK_POLICY_DIR");
  const std::string folder = !options.policy_dir.empty() ? options.policy_dir
                             : given != nullptr          ? given
                                                         : "";
  // The daemon has another current folder than this program.
  return folder.empty() ? "" : std::filesystem::absolute(folder).string();
}

absl::Status WriteConfig(const EmbeddedSlot& slot, const EmbeddedOptions& options) {
  const UniqueFd file(
      open(slot.config().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return ErrnoStatus("open", slot.config(), errno);
  std::string text = "launcher {\n  host_image: true\n";
  for (const auto& [field, value] :
       {std::pair("image_roots", &options.image_root), {"image_store", &options.image_store}}) {
    if (!value->empty()) absl::StrAppend(&text, "  ", field, ": \"", absl::CEscape(*value), "\"\n");
  }
  absl::StrAppend(&text, "}\n");
  if (const std::string folder = PolicyDir(options); !folder.empty()) {
    absl::StrAppend(&text, "policy_dir: \"", absl::CEscape(folder), "\"\n");
  }
  return WriteAll(file.get(), text);
}

// What the child gets and nothing else; its own session, so that Ctrl-C on the terminal reaches
// this program only.
class SpawnSettings {
 public:
  SpawnSettings(int lifeline, const std::string& log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, 1, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
    posix_spawn_file_actions_adddup2(&actions_, 1, 2);
    posix_spawn_file_actions_adddup2(&actions_, lifeline, kChildLifeline);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EmbeddedServer>> EmbeddedServer::Start(
    const EmbeddedOptions& options) {
  CELLBLOCK_ASSIGN_OR_RETURN(
      EmbeddedSlot slot,
      TakeEmbeddedSlot(options.cache_dir.empty() ? DefaultCacheDir() : options.cache_dir));
  CELLBLOCK_RETURN_IF_ERROR(WriteConfig(slot, options));
  auto server = std::unique_ptr<EmbeddedServer>(new EmbeddedServer(std::move(slot)));
  CELLBLOCK_RETURN_IF_ERROR(server->Spawn(options));
  CELLBLOCK_RETURN_IF_ERROR(server->AwaitSocket(options.start_timeout));
  return server;
}

absl::Status EmbeddedServer::Spawn(const EmbeddedOptions& options) {
  std::string program = options.program;
  if (program.empty()) {
    CELLBLOCK_ASSIGN_OR_RETURN(program, FindProgram("cellblockd"));
  }
  // Before the child exists, so that the socket's birth cannot be missed.
  watch_ = UniqueFd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch_.valid() ||
      inotify_add_watch(watch_.get(), slot_.socket_dir().c_str(), IN_CREATE) < 0) {
    return ErrnoStatus("watch", slot_.socket_dir(), errno);
  }
  CELLBLOCK_ASSIGN_OR_RETURN(auto pipe, Pipe());
  // dup2 onto itself would leave the descriptor close-on-exec.
  const UniqueFd inherited(fcntl(pipe.first.get(), F_DUPFD_CLOEXEC, kChildLifeline + 1));
  if (!inherited.valid()) return ErrnoStatus("duplicate", "lifeline", errno);
  SpawnSettings settings(inherited.get(), slot_.log());
  std::vector<std::string> words = {program, absl::StrCat("--config=", slot_.config()),
                                    absl::StrCat("--socket=", slot_.socket()),
                                    absl::StrCat("--state_dir=", slot_.state_dir()),
                                    absl::StrCat("--embedded_lifeline_fd=", kChildLifeline)};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = posix_spawn(&pid_, program.c_str(), settings.actions(), settings.attributes(),
                                argv.data(), environ);
  if (error != 0) {
    pid_ = -1;
    return ErrnoStatus("start", program, error);
  }
  lifeline_ = std::move(pipe.second);
  pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  return pidfd_.valid() ? absl::OkStatus() : ErrnoStatus("pidfd_open", "cellblockd", errno);
}

absl::Status EmbeddedServer::AwaitSocket(absl::Duration timeout) {
  const absl::Time deadline = SteadyNow() + timeout;
  while (access(slot_.socket().c_str(), F_OK) != 0) {
    std::array<pollfd, 2> wait = {pollfd{watch_.get(), POLLIN, 0}, pollfd{pidfd_.get(), POLLIN, 0}};
    const auto left = absl::ToInt64Milliseconds(deadline - SteadyNow());
    if (left <= 0) {
      return absl::DeadlineExceededError(absl::StrCat("the embedded daemon does not serve after ",
                                                      absl::FormatDuration(timeout), "\n",
                                                      LogTail()));
    }
    if (poll(wait.data(), wait.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
      return ErrnoStatus("poll", "cellblockd", errno);
    }
    if (wait[1].revents != 0) {
      return absl::UnavailableError(absl::StrCat("the embedded daemon ended:\n", LogTail()));
    }
    std::array<char, 4096> events;
    while (read(watch_.get(), events.data(), events.size()) > 0) {
    }
  }
  return absl::OkStatus();
}

EmbeddedServer::~EmbeddedServer() {
  if (pid_ < 0) return;
  lifeline_.reset();
  if (!pidfd_.valid() || !WaitReadable(pidfd_.get(), kStopTimeout)) kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool EmbeddedServer::running() const {
  return !WaitReadable(pidfd_.get(), absl::ZeroDuration());
}

std::string EmbeddedServer::LogTail() const {
  const absl::StatusOr<std::string> log = ReadFile(slot_.log());
  if (!log.ok()) return "";
  absl::string_view tail = *log;
  if (tail.size() > kLogTail) tail.remove_prefix(tail.size() - kLogTail);
  return std::string(absl::StripTrailingAsciiWhitespace(tail));
}

}  // namespace cellblock
