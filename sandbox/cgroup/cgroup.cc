#include "sandbox/cgroup/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr int64_t kPage = 4096;

bool Within(absl::string_view wanted, absl::string_view got) {
  int64_t wanted_number, got_number;
  return absl::SimpleAtoi(wanted, &wanted_number) && absl::SimpleAtoi(got, &got_number) &&
         got_number <= wanted_number && wanted_number - got_number < kPage;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::vector<std::string> GroupsBelow(int dir_fd) {
  std::vector<std::string> names;
  const int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return names;
  const std::unique_ptr<DIR, CloseFolder> folder(fdopendir(copy));
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

}  // namespace

absl::StatusOr<Cgroup> Cgroup::Create(int parent, std::string name) {
  if (mkdirat(parent, name.c_str(), 0755) != 0) {
    return ErrnoStatus("make cgroup", name, errno);
  }
  Cgroup group;
  group.dir_ = UniqueFd(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!group.dir_.valid()) return ErrnoStatus("open cgroup", name, errno);
  group.name_ = std::move(name);
  return group;
}

absl::StatusOr<std::string> Cgroup::Set(const char* file, absl::string_view value, bool rounded) {
  CELLBLOCK_RETURN_IF_ERROR(WriteFileAt(dir_fd(), file, value));
  CELLBLOCK_ASSIGN_OR_RETURN(std::string text, ReadFileAt(dir_fd(), file));
  std::string got(absl::StripAsciiWhitespace(text));
  if (got == value || (rounded && Within(value, got))) return got;
  return absl::InternalError(
      absl::StrCat("read back ", file, " of cgroup ", name_, ": wrote ", value, ", found ", got));
}

absl::Status Cgroup::EnableBelow(const std::vector<std::string>& controllers) {
  for (const std::string& controller : controllers) {
    CELLBLOCK_RETURN_IF_ERROR(
        WriteFileAt(dir_fd(), "cgroup.subtree_control", absl::StrCat("+", controller)));
  }
  return absl::OkStatus();
}

absl::Status Cgroup::Kill() {
  return WriteFileAt(dir_fd(), "cgroup.kill", "1");
}

absl::StatusOr<UniqueFd> Cgroup::OpenKill() const {
  UniqueFd fd(openat(dir_fd(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open cgroup.kill of", name_, errno);
  return fd;
}

absl::StatusOr<UniqueFd> Cgroup::OpenDirectory() const {
  UniqueFd fd(openat(dir_fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open cgroup", name_, errno);
  return fd;
}

absl::Status RemoveCgroupTree(int parent, const std::string& name, int timeout_ms) {
  UniqueFd dir(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir.valid()) return errno == ENOENT ? absl::OkStatus() : ErrnoStatus("open", name, errno);
  for (const std::string& below : GroupsBelow(dir.get())) {
    CELLBLOCK_RETURN_IF_ERROR(RemoveCgroupTree(dir.get(), below, timeout_ms));
  }
  // cgroup.events becomes pollable (POLLPRI) when the last process is gone.
  UniqueFd events(openat(dir.get(), "cgroup.events", O_RDONLY | O_CLOEXEC));
  constexpr int kSlice = 10;
  for (int waited = 0;; waited += kSlice) {
    if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) {
      return absl::OkStatus();
    }
    if (errno != EBUSY || waited >= timeout_ms) return ErrnoStatus("remove cgroup", name, errno);
    pollfd polled{events.get(), POLLPRI, 0};
    poll(&polled, 1, kSlice);
  }
}

}  // namespace cellblock
