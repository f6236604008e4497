#include "daemon/host/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr char kDefaultUser[] = "cellblock";

absl::Status DropBoundingSet() {
  for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; ++cap) {
    if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) {
      return ErrnoStatus("drop from the bounding set", absl::StrCat("capability ", cap), errno);
    }
  }
  return absl::OkStatus();
}

absl::Status ClearCapabilities() {
  cap_t none = cap_init();
  const auto free_none = absl::MakeCleanup([none] { cap_free(none); });
  if (none == nullptr || cap_set_proc(none) != 0) return ErrnoStatus("capset", "nothing", errno);
  cap_t now = cap_get_proc();
  const auto free_now = absl::MakeCleanup([now] { cap_free(now); });
  if (now == nullptr || cap_compare(now, none) != 0) {
    return absl::InternalError("capabilities are left after dropping them all");
  }
  return absl::OkStatus();
}

absl::Status CheckIdentity(const Identity& identity) {
  uid_t uids[3];
  gid_t gids[3];
  if (getresuid(&uids[0], &uids[1], &uids[2]) != 0 ||
      getresgid(&gids[0], &gids[1], &gids[2]) != 0) {
    return ErrnoStatus("getresuid", "", errno);
  }
  for (int i = 0; i < 3; ++i) {
    if (uids[i] != identity.uid || gids[i] != identity.gid) {
      return absl::InternalError("the user did not change as asked");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Identity> ChooseIdentity(const std::string& user, uid_t fallback_uid) {
  if (geteuid() != 0) return Identity{geteuid(), getegid()};
  const passwd* entry = getpwnam(user.empty() ? kDefaultUser : user.c_str());
  if (entry != nullptr) return Identity{entry->pw_uid, entry->pw_gid};
  if (!user.empty()) {
    return absl::NotFoundError(absl::StrCat("configuration: no user \"", user, "\" on this host"));
  }
  return Identity{fallback_uid, fallback_uid};
}

absl::StatusOr<gid_t> GroupByName(const std::string& group) {
  const struct group* entry = getgrnam(group.c_str());
  if (entry != nullptr) return entry->gr_gid;
  return absl::NotFoundError(absl::StrCat("configuration: no group \"", group, "\" on this host"));
}

absl::Status DropPrivileges(const Identity& identity) {
  if (geteuid() == 0 && identity.uid != 0) {
    // The bounding set first (it needs CAP_SETPCAP), groups before ids, ids before the sets.
    CELLBLOCK_RETURN_IF_ERROR(DropBoundingSet());
    if (setgroups(0, nullptr) != 0) return ErrnoStatus("setgroups", "none", errno);
    if (setresgid(identity.gid, identity.gid, identity.gid) != 0) {
      return ErrnoStatus("setresgid", absl::StrCat(identity.gid), errno);
    }
    if (setresuid(identity.uid, identity.uid, identity.uid) != 0) {
      return ErrnoStatus("setresuid", absl::StrCat(identity.uid), errno);
    }
  }
  CELLBLOCK_RETURN_IF_ERROR(ClearCapabilities());
  CELLBLOCK_RETURN_IF_ERROR(CheckIdentity(identity));
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return ErrnoStatus("no_new_privs", "", errno);
  // Memory holds tenants' data: no core files, no attaching by others of this uid.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return ErrnoStatus("PR_SET_DUMPABLE", "", errno);
  return absl::OkStatus();
}

absl::StatusOr<int> CountThreads() {
  std::error_code error;
  std::filesystem::directory_iterator tasks("/proc/self/task", error);
  if (error) return ErrnoStatus("read", "/proc/self/task", error.value());
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace cellblock
