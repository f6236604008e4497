#include "sandbox/launcher/run_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sandbox/base/io.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {
namespace {

constexpr int kRemoveTimeoutMs = 2000;

absl::Status MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return absl::OkStatus();
  return StepFailed("make run folder", path, errno);
}

UniqueFd LockOf(const std::string& run_path) {
  UniqueFd lock(open(absl::StrCat(run_path, "/lock").c_str(),
                     O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (lock.valid() && flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

int CountSessions(int cgroup_root, const std::string& group) {
  int sessions = 0;
  UniqueFd dir(openat(cgroup_root, group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.valid()) return 0;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat("/proc/self/fd/", dir.get()), ignored)) {
    if (entry.is_directory(ignored)) ++sessions;
  }
  return sessions;
}

// What a dead run's processes might still be doing is ended first.
void RemoveGroup(int cgroup_root, const std::string& group) {
  UniqueFd dir(openat(cgroup_root, group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.valid()) return;
  WriteFileAt(dir.get(), "cgroup.kill", "1").IgnoreError();
  RemoveCgroupTree(cgroup_root, group, kRemoveTimeoutMs).IgnoreError();
}

}  // namespace

std::string RunCgroupName(const std::string& run_id) {
  return absl::StrCat("cellblock-", run_id);
}

absl::StatusOr<RunDir> MakeRunDir(const std::string& run_dir) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) {
    return StepFailed("name run", "getrandom", errno);
  }
  RunDir run;
  run.id = absl::StrFormat("%016x", number);
  run.path = absl::StrCat(run_dir, "/runs/", run.id);
  std::error_code error;
  std::filesystem::create_directories(run_dir, error);
  for (const std::string& path : {run_dir, absl::StrCat(run_dir, "/runs"), run.path}) {
    if (absl::Status status = MakeFolder(path); !status.ok()) return status;
  }
  run.lock = LockOf(run.path);
  if (!run.lock.valid()) return StepFailed("lock run", run.path, errno);
  return run;
}

int RemoveDeadRuns(const std::string& run_dir, const RunDir& own, int cgroup_root) {
  int removed = 0;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(run_dir, "/runs"), error)) {
    const std::string id = entry.path().filename();
    if (id == own.id) continue;
    const UniqueFd lock = LockOf(entry.path());
    if (!lock.valid()) continue;  // alive
    if (cgroup_root >= 0) {
      removed += CountSessions(cgroup_root, RunCgroupName(id));
      RemoveGroup(cgroup_root, RunCgroupName(id));
    }
    std::filesystem::remove_all(entry.path(), error);
    ++removed;
  }
  return removed;
}

void RemoveRun(const RunDir& own, int cgroup_root) {
  if (cgroup_root >= 0) RemoveGroup(cgroup_root, RunCgroupName(own.id));
  std::error_code ignored;
  std::filesystem::remove_all(own.path, ignored);
}

}  // namespace cellblock::launcher
