// cellblock-launcher: the only privileged code of Cellblock.
//
// Theory of operation. One thread; no network, no gRPC, nothing from user code is ever parsed here.
// The daemon, which has no privileges, holds the other end of a SEQPACKET socket (descriptor 3) and
// asks for sandboxes and workers; every request is checked against the launcher's own configuration
// (text format on descriptor 4). The launcher lives in a mount namespace of its own in which it
// keeps a small workshop; it builds a session's disk there as real root and hands it detached to
// the new sandbox, so that nothing is ever mounted on the host.
//
//   CreateSandbox: uids (a lock shared by all launchers) -> cgroup with limits, read back -> disk
//   and
//     overlay -> clone3 into all namespaces and the cgroup -> id maps -> the steps of
//     sandbox/child/sandbox_steps.cc -> exec cellblock-init from a sealed memfd.
//   SpawnWorker: clone into init's pid namespace and the worker's cgroup leaf -> the steps of
//     sandbox/child/worker_steps.cc -> exec python3, a child of init.
//   The daemon gets descriptors: pidfds, sockets, pipes, cgroup.kill.
//
// If the daemon dies, the socket ends: the launcher kills every sandbox, removes its groups and
// exits. If the launcher dies, every init's lifeline ends and takes its sandbox along; what is left
// (empty groups and a folder) the next launcher of the host removes, by this run's lock.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "absl/status/status.h"
#include "internal/launcher.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/host.h"
#include "sandbox/launcher/mounts.h"
#include "sandbox/launcher/server.h"
#include "sandbox/launcher/settings.h"

namespace cellblock::launcher {
namespace {

constexpr int kDaemonSocket = 3;
constexpr char kConfigPath[] = "/proc/self/fd/4";

// Clone and threads do not mix: locks held by another thread would stay locked in the child.
bool HasOneThread() {
  std::error_code error;
  int threads = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    (void)entry;
    ++threads;
  }
  return !error && threads == 1;
}

int Fail(const absl::Status& status) {
  internal::SetupFailure failure;
  FillFailure(status, &failure);
  fprintf(stderr, "cellblock-launcher: %s%s%s\n", failure.message().c_str(),
          failure.remedy().empty() ? "" : "; ", failure.remedy().c_str());
  return 1;
}

// SIGTERM and SIGINT end the loop; a dead daemon must not kill by SIGPIPE.
int BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

int Main() {
  fcntl(kDaemonSocket, F_SETFD, FD_CLOEXEC);
  const absl::StatusOr<std::string> text = ReadFile(kConfigPath);
  if (!text.ok()) return Fail(text.status());
  close(4);
  const absl::StatusOr<Settings> settings = ParseSettings(*text);
  if (!settings.ok()) return Fail(settings.status());
  if (!HasOneThread()) return Fail(absl::InternalError("has more than one thread"));
  if (geteuid() != 0) {
    return Fail(absl::PermissionDeniedError("must run as root: it makes mounts and maps uids"));
  }
  // Groups and umask of the invoking user must not reach a sandbox.
  if (setgroups(0, nullptr) != 0) return Fail(StepFailed("drop groups", "", errno));
  umask(022);
  setpgid(0, 0);  // Ctrl-C is for the daemon, which drains first
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const int stop = BlockSignals();
  absl::StatusOr<std::unique_ptr<Host>> host = SetUpHost(*settings);
  if (!host.ok()) return Fail(host.status());
  Server(**host, UniqueFd(kDaemonSocket)).Run(stop);
  // The workshop lies in the run's folder.
  Detach((*host)->stage.folder).IgnoreError();
  RemoveRun((*host)->run, (*host)->cgroup_root.dir.valid() ? (*host)->cgroup_root.dir.get() : -1);
  return 0;
}

}  // namespace
}  // namespace cellblock::launcher

int main() {
  return cellblock::launcher::Main();
}
