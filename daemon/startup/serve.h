// Wires the daemon's objects together and runs them, on the main thread, without privileges.
#ifndef CELLBLOCK_DAEMON_STARTUP_SERVE_H_
#define CELLBLOCK_DAEMON_STARTUP_SERVE_H_

#include "absl/status/statusor.h"
#include "daemon/config/daemon_config.h"
#include "daemon/session/policy_catalog.h"
#include "daemon/startup/stopping.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

// What was made while the process was privileged.
struct PrivilegedParts {
  UniqueFd state_lock, launcher;
};

// Serves until stopped; gives the exit status.
absl::StatusOr<int> Serve(const DaemonSettings& settings, const PolicyCatalog& policies,
                          PrivilegedParts parts, StopWatch* watch);

// Only runs the start-up session, to its end.
absl::Status PrepareCaches(const DaemonSettings& settings, const PolicyCatalog& policies,
                           PrivilegedParts parts);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_STARTUP_SERVE_H_
