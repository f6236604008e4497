// Who the daemon runs as. Called once, by the main thread, while there is no other.
#ifndef CELLBLOCK_DAEMON_HOST_PRIVILEGES_H_
#define CELLBLOCK_DAEMON_HOST_PRIVILEGES_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cellblock {

struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The user to become: the caller itself unless it is root; then `user`, else the user "cellblock"
// if it exists, else `fallback_uid` as a bare number. NOT_FOUND if `user` names nobody.
absl::StatusOr<Identity> ChooseIdentity(const std::string& user, uid_t fallback_uid);

absl::StatusOr<gid_t> GroupByName(const std::string& group);

// Becomes `identity` for good: no supplementary groups, no capability in any set, no_new_privs, not
// dumpable. Reads the result back; anything short of it is an error, and the caller must exit.
absl::Status DropPrivileges(const Identity& identity);

// The number of threads of this process.
absl::StatusOr<int> CountThreads();

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_HOST_PRIVILEGES_H_
