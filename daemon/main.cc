// cellblockd: serves the Runtime API on a unix socket, without privileges.
//
// The order is the security argument. The launcher is started while this process has one thread,
// because it forks. Folders are made and handed over while this is still root. Then every privilege
// goes, and only after that come threads, parsers of foreign bytes and the socket.
#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "daemon/config/daemon_config.h"
#include "daemon/host/places.h"
#include "daemon/host/privileges.h"
#include "daemon/observe/log.h"
#include "daemon/startup/serve.h"
#include "sandbox/base/status.h"
#include "sandbox/runtime/launcher_client.h"

ABSL_FLAG(std::string, config, "", "text-format DaemonConfig; none: every default");
ABSL_FLAG(std::string, socket, "", "unix socket to serve on, instead of the configured one");
ABSL_FLAG(std::string, state_dir, "", "state folder, instead of the configured one");
ABSL_FLAG(int, embedded_lifeline_fd, -1,
          "end when this pipe ends; the daemon belongs to the program that holds its other end");
ABSL_FLAG(bool, check_config, false, "check the configuration and the policies, and exit");
ABSL_FLAG(bool, prepare, false, "prepare the caches of the default image, and exit");

namespace cellblock {
namespace {

// A session takes a dozen descriptors here and in the launcher, which inherits the limit.
void RaiseOpenFiles() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// While root: the lock, the launcher, the folders; afterwards none of it could be done.
absl::StatusOr<PrivilegedParts> StartPrivilegedParts(const DaemonSettings& settings) {
  CELLBLOCK_ASSIGN_OR_RETURN(const Identity identity,
                             ChooseIdentity(settings.user, settings.fallback_uid));
  std::optional<gid_t> group;
  if (!settings.socket_group.empty()) {
    CELLBLOCK_ASSIGN_OR_RETURN(group, GroupByName(settings.socket_group));
  }
  PrivilegedParts parts;
  CELLBLOCK_ASSIGN_OR_RETURN(parts.state_lock, LockStateDir(settings.state_dir, identity));
  CELLBLOCK_RETURN_IF_ERROR(PrepareSocketFolder(settings.socket, identity, group));
  CELLBLOCK_ASSIGN_OR_RETURN(const int threads, CountThreads());
  if (threads != 1) return absl::InternalError("a thread was started before the launcher");
  CELLBLOCK_ASSIGN_OR_RETURN(parts.launcher,
                             StartLauncher(settings.launcher_path, settings.launcher_config));
  CELLBLOCK_RETURN_IF_ERROR(DropPrivileges(identity));
  return parts;
}

absl::StatusOr<int> Main() {
  // Nothing inherited may reach the launcher.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  RaiseOpenFiles();
  umask(022);
  // The owner's terminal is its own: an interrupt typed there must not reach the launcher.
  if (absl::GetFlag(FLAGS_embedded_lifeline_fd) >= 0) setsid();
  DaemonOverrides overrides;
  overrides.config_file = absl::GetFlag(FLAGS_config);
  overrides.socket = absl::GetFlag(FLAGS_socket);
  overrides.state_dir = absl::GetFlag(FLAGS_state_dir);
  overrides.embedded = absl::GetFlag(FLAGS_embedded_lifeline_fd) >= 0;
  CELLBLOCK_ASSIGN_OR_RETURN(const DaemonSettings settings, LoadSettings(overrides));
  CELLBLOCK_ASSIGN_OR_RETURN(const PolicyCatalog policies,
                             PolicyCatalog::Load(settings.policy_dir, settings.ceiling));
  if (absl::GetFlag(FLAGS_check_config)) return 0;
  CELLBLOCK_ASSIGN_OR_RETURN(PrivilegedParts parts, StartPrivilegedParts(settings));
  // It would write to standard error what a hostile worker's frames hold.
  google::protobuf::SetLogHandler(nullptr);
  // After the launcher's start, so that it does not inherit the disposition and the mask.
  signal(SIGPIPE, SIG_IGN);
  if (absl::GetFlag(FLAGS_prepare)) {
    CELLBLOCK_RETURN_IF_ERROR(PrepareCaches(settings, policies, std::move(parts)));
    return 0;
  }
  CELLBLOCK_ASSIGN_OR_RETURN(StopWatch watch,
                             StopWatch::Create(absl::GetFlag(FLAGS_embedded_lifeline_fd)));
  return Serve(settings, policies, std::move(parts), &watch);
}

}  // namespace
}  // namespace cellblock

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "serves cellblock.v1.Runtime on a unix socket.\n\n"
      "  cellblockd [--config FILE] [--socket PATH] [--state_dir DIR]\n\n"
      "Exit status: 0 stopped as asked, 1 could not start, 2 wrong usage, 3 the launcher was "
      "lost.");
  absl::FlagsUsageConfig usage;
  usage.contains_help_flags = [](absl::string_view file) {
    return absl::EndsWith(file, "daemon/main.cc");  // not those of the libraries
  };
  absl::SetFlagsUsageConfig(usage);
  if (absl::ParseCommandLine(argc, argv).size() > 1) {
    fprintf(stderr, "cellblockd: takes no arguments, only flags (see --help)\n");
    return 2;
  }
  const absl::StatusOr<int> exit_status = cellblock::Main();
  if (exit_status.ok()) return *exit_status;
  cellblock::Log(cellblock::LogLevel::kError, "could_not_start",
                 {{"why", exit_status.status().message()}});
  return 1;
}
