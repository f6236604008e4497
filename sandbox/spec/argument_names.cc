#include "sandbox/spec/argument_names.h"

#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

// clang-format off
#define C(name) {#name, static_cast<uint32_t>(name)}
const std::vector<ArgumentFamily>& Table() {
  static const auto* const table = new std::vector<ArgumentFamily>{
      {"a socket family", 0, {"socket", "socketpair"}, false, {
        C(AF_UNSPEC), C(AF_UNIX), C(AF_LOCAL), C(AF_INET), C(AF_AX25), C(AF_IPX), C(AF_APPLETALK),
        C(AF_X25), C(AF_INET6), C(AF_KEY), C(AF_NETLINK), C(AF_PACKET), C(AF_RDS), C(AF_PPPOX),
        C(AF_LLC), C(AF_IB), C(AF_MPLS), C(AF_CAN), C(AF_TIPC), C(AF_BLUETOOTH), C(AF_RXRPC),
        C(AF_PHONET), C(AF_IEEE802154), C(AF_ALG), C(AF_NFC), C(AF_VSOCK), C(AF_KCM), C(AF_QIPCRTR),
        C(AF_SMC), C(AF_XDP), C(AF_MCTP)}},
      {"an ioctl request", 1, {"ioctl"}, false, {
        C(TCGETS), C(TCSETS), C(TCSETSW), C(TCSETSF), C(TCGETA), C(TCSETA), C(TCSBRK), C(TCXONC),
        C(TCFLSH), C(TIOCEXCL), C(TIOCNXCL), C(TIOCSCTTY), C(TIOCGPGRP), C(TIOCSPGRP), C(TIOCOUTQ),
        C(TIOCSTI), C(TIOCGWINSZ), C(TIOCSWINSZ), C(FIONREAD), C(TIOCLINUX), C(TIOCCONS),
        C(TIOCPKT), C(FIONBIO), C(TIOCNOTTY), C(TIOCSETD), C(TIOCGETD), C(TCSBRKP), C(TIOCGSID),
        C(TCGETS2), C(TCSETS2), C(TCSETSW2), C(TCSETSF2), C(TIOCGPTN), C(TIOCSPTLCK), C(TIOCGDEV),
        C(TIOCSIG), C(TIOCVHANGUP), C(TIOCGPTPEER), C(FIONCLEX), C(FIOCLEX), C(FIOASYNC),
        C(SIOCATMARK), C(SIOCGIFNAME), C(SIOCGIFCONF), C(SIOCGIFFLAGS), C(SIOCSIFFLAGS),
        C(SIOCGIFADDR), C(SIOCSIFADDR), C(SIOCGIFBRDADDR), C(SIOCGIFNETMASK), C(SIOCSIFNETMASK),
        C(SIOCGIFMETRIC), C(SIOCGIFMTU), C(SIOCSIFMTU), C(SIOCGIFHWADDR), C(SIOCGIFINDEX),
        C(SIOCGIFCOUNT), C(SIOCGIFTXQLEN), C(SIOCETHTOOL), C(SIOCADDRT), C(SIOCDELRT), C(FIBMAP),
        C(FIGETBSZ), C(FIFREEZE), C(FITHAW), C(FITRIM), C(FICLONE), C(FICLONERANGE),
        C(FIDEDUPERANGE), C(FS_IOC_GETFLAGS), C(FS_IOC_SETFLAGS), C(FS_IOC_GETVERSION),
        C(FS_IOC_FIEMAP), C(FS_IOC_FSGETXATTR), C(FS_IOC_FSSETXATTR), C(BLKROSET), C(BLKRRPART),
        C(BLKGETSIZE), C(BLKGETSIZE64), C(BLKSSZGET), C(BLKDISCARD)}},
      {"clone flags", 0, {"clone", "unshare"}, true, {
        C(CLONE_VM), C(CLONE_FS), C(CLONE_FILES), C(CLONE_SIGHAND), C(CLONE_PIDFD), C(CLONE_PTRACE),
        C(CLONE_VFORK), C(CLONE_PARENT), C(CLONE_THREAD), C(CLONE_NEWNS), C(CLONE_SYSVSEM),
        C(CLONE_SETTLS), C(CLONE_PARENT_SETTID), C(CLONE_CHILD_CLEARTID), C(CLONE_DETACHED),
        C(CLONE_UNTRACED), C(CLONE_CHILD_SETTID), C(CLONE_NEWCGROUP), C(CLONE_NEWUTS),
        C(CLONE_NEWIPC), C(CLONE_NEWUSER), C(CLONE_NEWPID), C(CLONE_NEWNET), C(CLONE_IO),
        C(CLONE_NEWTIME)}},
      {"a prctl option", 0, {"prctl"}, false, {
        C(PR_SET_PDEATHSIG), C(PR_GET_PDEATHSIG), C(PR_GET_DUMPABLE), C(PR_SET_DUMPABLE),
        C(PR_GET_UNALIGN), C(PR_SET_UNALIGN), C(PR_GET_KEEPCAPS), C(PR_SET_KEEPCAPS),
        C(PR_GET_FPEMU), C(PR_SET_FPEMU), C(PR_GET_FPEXC), C(PR_SET_FPEXC), C(PR_GET_TIMING),
        C(PR_SET_TIMING), C(PR_SET_NAME), C(PR_GET_NAME), C(PR_GET_ENDIAN), C(PR_SET_ENDIAN),
        C(PR_GET_SECCOMP), C(PR_SET_SECCOMP), C(PR_CAPBSET_READ), C(PR_CAPBSET_DROP), C(PR_GET_TSC),
        C(PR_SET_TSC), C(PR_GET_SECUREBITS), C(PR_SET_SECUREBITS), C(PR_SET_TIMERSLACK),
        C(PR_GET_TIMERSLACK), C(PR_TASK_PERF_EVENTS_DISABLE), C(PR_TASK_PERF_EVENTS_ENABLE),
        C(PR_MCE_KILL), C(PR_MCE_KILL_GET), C(PR_SET_MM), C(PR_SET_PTRACER),
        C(PR_SET_CHILD_SUBREAPER), C(PR_GET_CHILD_SUBREAPER), C(PR_SET_NO_NEW_PRIVS),
        C(PR_GET_NO_NEW_PRIVS), C(PR_GET_TID_ADDRESS), C(PR_SET_THP_DISABLE), C(PR_GET_THP_DISABLE),
        C(PR_SET_FP_MODE), C(PR_GET_FP_MODE), C(PR_CAP_AMBIENT), C(PR_GET_SPECULATION_CTRL),
        C(PR_SET_SPECULATION_CTRL), C(PR_SET_TAGGED_ADDR_CTRL), C(PR_GET_TAGGED_ADDR_CTRL),
        C(PR_SET_IO_FLUSHER), C(PR_GET_IO_FLUSHER), C(PR_SET_SYSCALL_USER_DISPATCH),
        C(PR_SCHED_CORE), C(PR_SET_VMA)}},
      {"an fcntl command", 1, {"fcntl"}, false, {
        C(F_DUPFD), C(F_GETFD), C(F_SETFD), C(F_GETFL), C(F_SETFL), C(F_GETLK), C(F_SETLK),
        C(F_SETLKW), C(F_SETOWN), C(F_GETOWN), C(F_SETSIG), C(F_GETSIG), C(F_SETLEASE),
        C(F_GETLEASE), C(F_NOTIFY), C(F_DUPFD_CLOEXEC), C(F_SETPIPE_SZ), C(F_GETPIPE_SZ),
        C(F_ADD_SEALS), C(F_GET_SEALS)}},
      {"an execution domain", 0, {"personality"}, false, {
        C(PER_LINUX), C(PER_LINUX32), C(ADDR_NO_RANDOMIZE), C(READ_IMPLIES_EXEC),
        C(ADDR_COMPAT_LAYOUT), C(MMAP_PAGE_ZERO), C(UNAME26), {"PER_QUERY", 0xffffffff}}},
      {"a kind of priority", 0, {"setpriority", "getpriority"}, false, {
        C(PRIO_PROCESS), C(PRIO_PGRP), C(PRIO_USER)}},
  };
  return *table;
}
#undef C
// clang-format on

}  // namespace

absl::Span<const ArgumentFamily> ArgumentFamilies() {
  return Table();
}

const ArgumentFamily* FamilyOf(absl::string_view call, int argument) {
  for (const ArgumentFamily& family : Table()) {
    if (family.argument != argument) continue;
    for (const char* own : family.calls) {
      if (call == own) return &family;
    }
  }
  return nullptr;
}

std::optional<uint32_t> FindConstant(const ArgumentFamily& family, absl::string_view name) {
  for (const ArgumentConstant& constant : family.constants) {
    if (name == constant.name) return constant.value;
  }
  return std::nullopt;
}

std::string WhereConstantBelongs(absl::string_view name) {
  for (const ArgumentFamily& family : Table()) {
    if (FindConstant(family, name)) {
      return absl::StrCat(family.calls.front(), " argument ", family.argument);
    }
  }
  return "";
}

std::string NameOfValue(const ArgumentFamily* family, uint64_t value) {
  const std::string number = absl::StrCat("0x", absl::Hex(value));
  if (family == nullptr) return value < 10 ? absl::StrCat(value) : number;
  uint64_t left = value;
  std::string names;
  for (const ArgumentConstant& constant : family->constants) {
    if (value == constant.value) return constant.name;
    if (!family->bits || constant.value == 0 || (left & constant.value) != constant.value) continue;
    absl::StrAppend(&names, names.empty() ? "" : "|", constant.name);
    left &= ~uint64_t{constant.value};
  }
  if (names.empty()) return number;
  return left == 0 ? names : absl::StrCat(names, "|0x", absl::Hex(left));
}

}  // namespace cellblock
