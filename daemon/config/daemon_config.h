// The daemon's settings: one text-format file (proto/internal/daemon.proto) with defaults filled
// in, parsed once; each component is given only its slice.
#ifndef CELLBLOCK_DAEMON_CONFIG_DAEMON_CONFIG_H_
#define CELLBLOCK_DAEMON_CONFIG_DAEMON_CONFIG_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

struct DaemonSettings {
  std::string socket, socket_group, state_dir, policy_dir, launcher_path;
  std::string image_store;
  std::string launcher_config;  // LauncherConfig in text format, complete
  uint32_t fallback_uid = 0;    // launcher.uid_base: the launcher never gives it to a sandbox
  std::string user;
  std::string default_image, default_policy;
  int max_sessions = 0, max_running_cells = 0;
  absl::Duration default_idle_ttl, default_total_ttl, drain_deadline, retention_time;
  int64_t retention_bytes = 0, max_upload_bytes = 0, max_download_bytes = 0;
  bool self_test = true, image_cache = true;
  std::set<std::string> read_only_roots;  // the names of launcher.read_only_roots
  Limits ceiling;                         // launcher.ceiling, for the policies; zero: none
};

// What the command line may say; "" = what the file says.
struct DaemonOverrides {
  std::string config_file, socket, state_dir;
  bool embedded = false;
};

// INVALID_ARGUMENT names the file and the field; NOT_FOUND if the named file is not there.
absl::StatusOr<DaemonSettings> LoadSettings(const DaemonOverrides& overrides);

// The same from text; `prefix` is the folder above the daemon's own bin or sbin.
absl::StatusOr<DaemonSettings> ParseSettings(const std::string& text, const std::string& file,
                                             const std::string& prefix,
                                             const DaemonOverrides& overrides);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_CONFIG_DAEMON_CONFIG_H_
