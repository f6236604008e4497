// One cgroup v2 directory: made, limited, killed and removed by descriptor. Used by the launcher.
// There is no v1 code: see delegated_root.h for hosts without controllers.
#ifndef CELLBLOCK_SANDBOX_CGROUP_CGROUP_H_
#define CELLBLOCK_SANDBOX_CGROUP_CGROUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

class Cgroup {
 public:
  Cgroup() = default;
  // Makes `name` below `parent` (a directory descriptor). ALREADY_EXISTS if it is there.
  static absl::StatusOr<Cgroup> Create(int parent, std::string name);

  int dir_fd() const { return dir_.get(); }
  bool valid() const { return dir_.valid(); }
  const std::string& name() const { return name_; }

  // Writes a file and reads it back; the kernel's own answer is returned. INTERNAL if it is not
  // `value` (`rounded`: or a smaller number within a page).
  absl::StatusOr<std::string> Set(const char* file, absl::string_view value, bool rounded = false);
  // Hands controllers on to the groups below.
  absl::Status EnableBelow(const std::vector<std::string>& controllers);
  // SIGKILL to all in the group and below.
  absl::Status Kill();
  absl::StatusOr<UniqueFd> OpenKill() const;
  absl::StatusOr<UniqueFd> OpenDirectory() const;

 private:
  UniqueFd dir_;
  std::string name_;
};

// Removes a group and all groups below it, which must be empty of processes; EBUSY is waited out
// until the deadline, as the kernel lets go of dead processes. NOT_FOUND counts as done.
absl::Status RemoveCgroupTree(int parent, const std::string& name, int timeout_ms);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_CGROUP_CGROUP_H_
