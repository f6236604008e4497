// This run's folder and lock, and the clean-up after runs that are dead. A run that still holds its
// lock is never touched.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_RUN_DIR_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_RUN_DIR_H_

#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::launcher {

struct RunDir {
  std::string id;    // 16 hex digits; names the run's cgroup too
  std::string path;  // <run_dir>/runs/<id>
  UniqueFd lock;     // held while the launcher lives
};

// Makes <run_dir> (0755), <run_dir>/runs and this run's folder.
absl::StatusOr<RunDir> MakeRunDir(const std::string& run_dir);

// Removes the folders of dead runs and their groups below `cgroup_root` (-1: none), and counts what
// it removed: one per folder and one per cgroup of a session.
int RemoveDeadRuns(const std::string& run_dir, const RunDir& own, int cgroup_root);

std::string RunCgroupName(const std::string& run_id);

// This run's folder and group, at an orderly end.
void RemoveRun(const RunDir& own, int cgroup_root);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_RUN_DIR_H_
