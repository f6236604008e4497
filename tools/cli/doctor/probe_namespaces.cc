// Who runs this, and the namespaces that a sandbox is made of.
#include <sched.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/io.h"
#include "tools/cli/doctor/probe.h"

namespace cellblock::cli {
namespace {

// Bit of a capability in CapEff of /proc/self/status.
bool HasCapability(int number) {
  const auto status = ReadFile("/proc/self/status");
  if (!status.ok()) return false;
  for (absl::string_view line : absl::StrSplit(*status, '\n')) {
    if (line.substr(0, 7) != "CapEff:") continue;
    uint64_t mask = 0;
    return absl::SimpleHexAtoi(absl::StripAsciiWhitespace(line.substr(7)), &mask) &&
           (mask >> number & 1) != 0;
  }
  return false;
}

struct Namespace {
  const char* name;
  int flag;
  const char* limit;  // below /proc/sys/user
};
constexpr Namespace kNamespaces[] = {
    {"mount", CLONE_NEWNS, "max_mnt_namespaces"},
    {"pid", CLONE_NEWPID, "max_pid_namespaces"},
    {"net", CLONE_NEWNET, "max_net_namespaces"},
    {"ipc", CLONE_NEWIPC, "max_ipc_namespaces"},
    {"uts", CLONE_NEWUTS, "max_uts_namespaces"},
    {"cgroup", CLONE_NEWCGROUP, "max_cgroup_namespaces"},
};

std::string NamespaceRemedy(const std::string& name, const std::string& limit) {
  return absl::StrCat("raise it with `sysctl user.", limit, "=10000`; in a container, allow ", name,
                      " namespaces (or run it privileged); else the kernel lacks them");
}

}  // namespace

void ProbeIdentity(Findings* findings) {
  const bool root = geteuid() == 0;
  constexpr int kCapSysAdmin = 21, kCapSysResource = 24;
  const bool admin = HasCapability(kCapSysAdmin);
  findings->push_back(
      {"root privileges", root && admin ? Level::kOk : Level::kMissing,
       root ? (admin ? "root with CAP_SYS_ADMIN" : "root without CAP_SYS_ADMIN")
            : absl::StrCat("uid ", geteuid()),
       root && admin ? ""
                     : "run `sudo cellblock ...`, or use a daemon that root has started: --server "
                       "unix:/run/cellblock/cellblockd.sock"});
  const bool resource = HasCapability(kCapSysResource);
  findings->push_back({"CAP_SYS_RESOURCE", resource ? Level::kOk : Level::kWarning,
                       resource ? "held" : "not held: hard limits can only be lowered",
                       resource ? ""
                                : "only matters if a policy wants more open files than `ulimit "
                                  "-Hn` says; in a container, add the capability"});
}

void ProbeNamespaces(Findings* findings) {
  AddAttempt(findings, "user namespace",
             TryInChild([](Steps& steps) { steps.Do("unshare", unshare(CLONE_NEWUSER)); }),
             Level::kMissing,
             "`sysctl user.max_user_namespaces=10000`, and on Debian and Ubuntu `sysctl "
             "kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0`");
  for (const Namespace& space : kNamespaces) {
    AddAttempt(findings, absl::StrCat(space.name, " namespace"), TryInChild([&](Steps& steps) {
                 steps.Do("unshare", unshare(CLONE_NEWUSER | space.flag));
               }),
               Level::kMissing, NamespaceRemedy(space.name, space.limit));
  }
}

}  // namespace cellblock::cli
