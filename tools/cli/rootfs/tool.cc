#include "tools/cli/rootfs/tool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::cli {
namespace {

constexpr size_t kLogTail = 4000;
constexpr size_t kMaxOutput = 64 << 20;
constexpr int kCannotExec = 127;

absl::StatusOr<std::string> FindInPath(const std::string& program, const std::string& package) {
  if (program.find('/') != std::string::npos) return program;
  const char* given = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(
           absl::StrCat(given == nullptr ? "" : given, ":/usr/sbin:/usr/bin:/sbin:/bin"), ':')) {
    const std::string path = absl::StrCat(folder, "/", program);
    if (!folder.empty() && access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::FailedPreconditionError(
      absl::StrCat(program, " is not installed; on Debian: apt-get install ", package));
}

std::string Tail(const std::string& log) {
  const absl::StatusOr<std::string> text = ReadFile(log);
  if (!text.ok()) return "";
  absl::string_view tail = *text;
  if (tail.size() > kLogTail) tail.remove_prefix(tail.size() - kLogTail);
  return absl::StrCat("; its last words:\n", absl::StripAsciiWhitespace(tail));
}

std::vector<char*> Pointers(std::vector<std::string>* words) {
  std::vector<char*> pointers;
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** line = environ; *line != nullptr; ++line) {
    const absl::string_view name =
        absl::string_view(*line).substr(0, absl::string_view(*line).find('=') + 1);
    bool replaced = false;
    for (const std::string& own : added) {
      replaced = replaced || absl::string_view(own).substr(0, name.size()) == name;
    }
    if (!replaced) all.emplace_back(*line);
  }
  return all;
}

std::string ReadToEnd(int fd) {
  std::string all, block(1 << 16, '\0');
  while (true) {
    const ssize_t count = read(fd, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    if (all.size() < kMaxOutput) all.append(block, 0, count);
  }
}

}  // namespace

absl::StatusOr<std::string> RunTool(const ToolCall& call) {
  std::vector<std::string> words = call.argv;
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string program, FindInPath(words[0], call.package));
  std::vector<std::string> environment = Environment(call.environment);
  const std::vector<char*> argv = Pointers(&words), envp = Pointers(&environment);
  const UniqueFd input(memfd_create("input", MFD_CLOEXEC));
  if (!input.valid()) return ErrnoStatus("memfd_create", program, errno);
  CELLBLOCK_RETURN_IF_ERROR(WriteAll(input.get(), call.input));
  lseek(input.get(), 0, SEEK_SET);
  const UniqueFd log(call.log.empty()
                         ? dup(STDERR_FILENO)
                         : open(call.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!log.valid()) return ErrnoStatus("open", call.log, errno);
  CELLBLOCK_ASSIGN_OR_RETURN(auto output, Pipe());
  const pid_t child = fork();
  if (child < 0) return ErrnoStatus("fork", program, errno);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    dup2(input.get(), 0);
    dup2(output.second.get(), 1);
    dup2(log.get(), 2);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(kCannotExec);
  }
  output.second.reset();
  std::string text = ReadToEnd(output.first.get());
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return ErrnoStatus("wait for", program, errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  const std::string how = WIFSIGNALED(status)
                              ? absl::StrCat("ended by signal ", WTERMSIG(status))
                              : absl::StrCat("failed, status ", WEXITSTATUS(status));
  return absl::FailedPreconditionError(
      absl::StrCat(program, " ", how, call.log.empty() ? "" : Tail(call.log)));
}

}  // namespace cellblock::cli
