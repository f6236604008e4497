#include "sandbox/cgroup/delegated_root.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr char kSystemMount[] = "/sys/fs/cgroup";
constexpr const char* kUsed[] = {"memory", "pids", "cpu", "io"};

bool IsCgroup2(const char* path) {
  struct statfs status;
  return statfs(path, &status) == 0 &&
         static_cast<unsigned long>(status.f_type) == CGROUP2_SUPER_MAGIC;
}

std::vector<std::string> Words(int dir, const char* file) {
  const absl::StatusOr<std::string> text = ReadFileAt(dir, file);
  if (!text.ok()) return {};
  return absl::StrSplit(*text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
}

// "0::/path" is this process's place in the v2 hierarchy.
absl::StatusOr<std::string> OwnGroup() {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/self/cgroup"));
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, "0::")) return std::string(line);
  }
  return absl::NotFoundError("/proc/self/cgroup names no v2 group");
}

// A group with processes of its own cannot hand controllers on, so the launcher moves to a leaf.
absl::Status MoveSelfToLeaf(int dir) {
  if (mkdirat(dir, "launcher", 0755) != 0 && errno != EEXIST) {
    return ErrnoStatus("make cgroup", "launcher", errno);
  }
  return WriteFileAt(dir, "launcher/cgroup.procs", "0");
}

bool CanMakeGroups(int dir) {
  const std::string name = absl::StrCat("cellblock-probe-", getpid());
  if (mkdirat(dir, name.c_str(), 0755) != 0) return false;
  unlinkat(dir, name.c_str(), AT_REMOVEDIR);
  return true;
}

void EnableControllers(DelegatedRoot& root) {
  const std::vector<std::string> offered = Words(root.dir.get(), "cgroup.controllers");
  std::vector<std::string> missing;
  for (const char* controller : kUsed) {
    if (std::find(offered.begin(), offered.end(), controller) == offered.end()) {
      missing.push_back(absl::StrCat(controller, " (not in cgroup.controllers)"));
      continue;
    }
    const absl::Status enabled =
        WriteFileAt(root.dir.get(), "cgroup.subtree_control", absl::StrCat("+", controller));
    if (enabled.ok()) {
      root.controllers.emplace_back(controller);
    } else {
      missing.push_back(absl::StrCat(controller, " (", enabled.message(), ")"));
    }
  }
  if (!missing.empty()) {
    root.why_not = absl::StrCat("controllers missing in ", root.description, ": ",
                                absl::StrJoin(missing, ", "));
  }
}

}  // namespace

bool DelegatedRoot::has(const std::string& controller) const {
  return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

absl::StatusOr<DelegatedRoot> FindDelegatedRoot(const std::string& wanted,
                                                const std::string& private_mount) {
  DelegatedRoot root;
  std::string mount_point = kSystemMount;
  if (!IsCgroup2(kSystemMount)) {
    // Hybrid or v1: see the one v2 hierarchy through a mount that only this process has.
    if (mount("none", private_mount.c_str(), "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC,
              nullptr) != 0) {
      root.why_not = std::string(ErrnoStatus("mount", "cgroup2", errno).message());
      return root;
    }
    mount_point = private_mount;
  }
  std::string group = wanted;
  if (wanted == "self") {
    CELLBLOCK_ASSIGN_OR_RETURN(group, OwnGroup());
  }
  const std::string path = absl::StrCat(mount_point, "/", group);
  root.description = mount_point == kSystemMount ? path : absl::StrCat("cgroup2:/", group);
  root.dir = UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.dir.valid()) return ErrnoStatus("open cgroup root", root.description, errno);
  if (wanted == "self") CELLBLOCK_RETURN_IF_ERROR(MoveSelfToLeaf(root.dir.get()));
  if (!CanMakeGroups(root.dir.get())) {
    root.why_not =
        absl::StrCat("no group can be made in ", root.description, " (read-only or not delegated)");
    root.dir.reset();
    return root;
  }
  EnableControllers(root);
  return root;
}

}  // namespace cellblock
