#include "sandbox/child/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace cellblock::child {
namespace {

// The kernel's struct as of ABI 6; older kernels take a shorter one.
struct RulesetAttributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};
constexpr size_t kSizeBeforeAbi6 = sizeof(uint64_t);
constexpr uint64_t kScopeAbstractSocket = 1;
constexpr uint64_t kScopeSignal = 2;
constexpr uint64_t kAccessRefer = 1ULL << 13;     // ABI 2
constexpr uint64_t kAccessTruncate = 1ULL << 14;  // ABI 3

// Everything that changes a tree. Reading and executing are left to the mounts.
uint64_t WriteAccess(int abi) {
  uint64_t access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (abi >= 2) access |= kAccessRefer;
  if (abi >= 3) access |= kAccessTruncate;
  return access;
}

struct Place {
  const char* path;
  bool files_only;  // existing files may be written, nothing made or removed
};
// /proc/self/comm and the like are written by libraries; /proc/sys is read-only by its mount.
constexpr Place kPlaces[] = {{"/work", false},    {"/home/cell", false}, {"/tmp", false},
                             {"/var/tmp", false}, {"/dev/shm", false},   {"/dev", true},
                             {"/proc", true}};

StepResult AllowBeneath(int ruleset, const Place& place, uint64_t access) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access =
      place.files_only ? access & (LANDLOCK_ACCESS_FS_WRITE_FILE | kAccessTruncate) : access;
  rule.parent_fd = open(place.path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return errno == ENOENT ? Done() : Failed(place.path);
  const long added = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  const int error = errno;
  close(rule.parent_fd);
  errno = error;
  return added == 0 ? Done() : Failed(place.path);
}

}  // namespace

int LandlockAbi() {
  const long abi =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

StepResult RestrictWrites(int abi) {
  if (abi == 0) return Done();
  RulesetAttributes attributes{};
  attributes.handled_access_fs = WriteAccess(abi);
  if (abi >= 6) attributes.scoped = kScopeAbstractSocket | kScopeSignal;
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes,
                                               abi >= 6 ? sizeof attributes : kSizeBeforeAbi6, 0));
  if (ruleset < 0) return Failed("ruleset");
  StepResult result;
  for (const Place& place : kPlaces) {
    if (result.error == 0) result = AllowBeneath(ruleset, place, attributes.handled_access_fs);
  }
  if (result.error == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
    result = Failed("ruleset");
  }
  close(ruleset);
  return result;
}

}  // namespace cellblock::child
