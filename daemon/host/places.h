// The daemon's two places on the host: the state folder with its lock, and the folder of its
// socket. Both are made while the daemon is still root and belong to the user that it then becomes,
// because the socket is bound after that. Main thread only.
//
// Who may connect: the socket is 0600 and the daemon's own; root always may. With a group, its
// folder is set-group-id for that group, so that the socket is born in it, and is 0660.
#ifndef CELLBLOCK_DAEMON_HOST_PLACES_H_
#define CELLBLOCK_DAEMON_HOST_PLACES_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "daemon/host/privileges.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

// Makes the folder if need be and locks it for as long as the descriptor lives. FAILED_PRECONDITION
// names the process that has it.
absl::StatusOr<UniqueFd> LockStateDir(const std::string& state_dir, const Identity& owner);

// Makes or takes over the folder of `socket`. An existing folder must belong to `owner`, or to the
// caller and be private and empty; FAILED_PRECONDITION says what is in the way.
absl::Status PrepareSocketFolder(const std::string& socket, const Identity& owner,
                                 std::optional<gid_t> group);

// After the privileges are gone: removes a socket that nobody serves any more. FAILED_PRECONDITION
// if somebody does, or if it is no socket.
absl::Status RemoveStaleSocket(const std::string& socket);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_HOST_PLACES_H_
