#include "sandbox/spec/recommended_calls.h"

#include <sys/personality.h>
#include <sys/socket.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sandbox/spec/argument_names.h"
#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

constexpr const char* kNever[] = {
    // Mounts and roots
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "statmount", "listmount",
    // Namespaces
    "unshare", "setns",
    // Other processes, and memory behind their backs
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    "pidfd_send_signal", "move_pages", "migrate_pages", "memfd_secret",
    // Files by handle: they step over every mount
    "name_to_handle_at", "open_by_handle_at",
    // Wide kernel surfaces
    "bpf", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "userfaultfd", "keyctl", "add_key", "request_key", "fanotify_init", "lookup_dcookie", "uselib",
    "modify_ldt",
    // The machine itself
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot",
    "swapon", "swapoff", "acct", "settimeofday", "clock_settime", "iopl", "ioperm", "syslog",
    "quotactl", "quotactl_fd", "vhangup", "sethostname", "setdomainname"};

// Their calls reach beyond the session: a pool of the whole host, placement on its memory nodes.
constexpr const char* kUnrecommendedGroups[] = {"@aio", "@numa"};

// Calls of no group that are fine when an argument is one of these; none listed: when it is tested.
struct TestedCall {
  const char* call;
  int argument;
  std::vector<const char*> constants;
};

const std::vector<TestedCall>& TestedCalls() {
  static const auto* const calls = new std::vector<TestedCall>{
      {"socket", 0, {"AF_UNIX", "AF_INET", "AF_INET6"}},
      {"socketpair", 0, {"AF_UNIX", "AF_INET", "AF_INET6"}},
      {"ioctl",
       1,
       {"TCGETS",        "TCSETS",       "TCSETSW",         "TCSETSF",     "TCGETS2",
        "TIOCGWINSZ",    "TIOCGPGRP",    "TIOCGSID",        "FIONREAD",    "FIONBIO",
        "TIOCOUTQ",      "FIONCLEX",     "FIOCLEX",         "FIOASYNC",    "SIOCATMARK",
        "SIOCGIFNAME",   "SIOCGIFCONF",  "SIOCGIFFLAGS",    "SIOCGIFADDR", "SIOCGIFNETMASK",
        "SIOCGIFHWADDR", "SIOCGIFINDEX", "FS_IOC_GETFLAGS", "FICLONE",     "FICLONERANGE"}},
      {"prctl",
       0,
       {"PR_SET_PDEATHSIG",
        "PR_GET_PDEATHSIG",
        "PR_GET_DUMPABLE",
        "PR_SET_DUMPABLE",
        "PR_GET_KEEPCAPS",
        "PR_SET_KEEPCAPS",
        "PR_SET_NAME",
        "PR_GET_NAME",
        "PR_GET_SECCOMP",
        "PR_SET_SECCOMP",
        "PR_CAPBSET_READ",
        "PR_GET_SECUREBITS",
        "PR_GET_TIMERSLACK",
        "PR_SET_TIMERSLACK",
        "PR_SET_CHILD_SUBREAPER",
        "PR_GET_CHILD_SUBREAPER",
        "PR_SET_NO_NEW_PRIVS",
        "PR_GET_NO_NEW_PRIVS",
        "PR_GET_TID_ADDRESS",
        "PR_SET_THP_DISABLE",
        "PR_GET_THP_DISABLE",
        "PR_CAP_AMBIENT",
        "PR_SET_VMA"}},
      {"personality", 0, {"PER_LINUX", "ADDR_NO_RANDOMIZE", "PER_QUERY"}},
      {"clone", 0, {}},
      {"fcntl", -1, {}},
      {"prlimit64", 0, {}},
      {"sched_setaffinity", 0, {}},
      {"setpriority", 1, {}},
  };
  return *calls;
}

bool IsRecommended(absl::string_view call) {
  for (const SyscallGroup& group : SyscallGroups()) {
    const bool good = std::none_of(std::begin(kUnrecommendedGroups), std::end(kUnrecommendedGroups),
                                   [&](absl::string_view name) { return name == group.name; });
    if (good && std::find(group.calls.begin(), group.calls.end(), call) != group.calls.end()) {
      return true;
    }
  }
  return false;
}

// "" if the test names only values that the call may have.
std::string DangerOfTest(const TestedCall& tested, const ArgumentTest& test) {
  if (test.comparison == ArgumentTest::Comparison::kNoneOf) return "";
  if (tested.constants.empty()) return "";
  const ArgumentFamily& family = *FamilyOf(tested.call, tested.argument);
  const bool list = test.comparison == ArgumentTest::Comparison::kOneOf;
  for (const uint64_t value : list ? test.values : std::vector<uint64_t>{test.value}) {
    const bool fine = std::any_of(
        tested.constants.begin(), tested.constants.end(),
        [&](const char* name) { return FindConstant(family, name).value_or(0) == value; });
    if (!fine) {
      return absl::StrCat(tested.call, " with ", NameOfValue(&family, value),
                          " is not among what is recommended");
    }
  }
  return "";
}

}  // namespace

absl::Span<const char* const> NeverAllowedCalls() {
  return kNever;
}

bool IsNeverAllowed(absl::string_view call) {
  return std::any_of(std::begin(kNever), std::end(kNever),
                     [&](absl::string_view name) { return name == call; });
}

std::string DangerOf(absl::string_view call, const std::vector<ArgumentTest>& tests) {
  if (IsRecommended(call)) return "";
  for (const TestedCall& tested : TestedCalls()) {
    if (call != tested.call) continue;
    if (tested.argument < 0) return "";
    for (const ArgumentTest& test : tests) {
      if (test.argument != tested.argument ||
          test.comparison == ArgumentTest::Comparison::kNoneOf) {
        continue;
      }
      return DangerOfTest(tested, test);
    }
    return absl::StrCat(call, " is allowed without saying which values argument ", tested.argument,
                        " may have");
  }
  return absl::StrCat(call, " is not among the recommended calls");
}

}  // namespace cellblock
