#include "sandbox/seccomp/evaluator.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

constexpr uint32_t kX32Bit = 0x40000000;

absl::Status Malformed(size_t at, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("instruction ", at, ": ", what));
}

// The part of classic BPF that seccomp takes: see seccomp_check_filter in the kernel.
class Machine {
 public:
  Machine(absl::Span<const sock_filter> code, const seccomp_data& call)
      : code_(code), call_(call) {}

  absl::StatusOr<uint32_t> Run() {
    for (size_t at = 0; at < code_.size();) {
      const sock_filter& step = code_[at];
      switch (BPF_CLASS(step.code)) {
        case BPF_RET:
          return BPF_RVAL(step.code) == BPF_A ? accumulator_ : step.k;
        case BPF_JMP:
          at += 1 + Distance(step);
          continue;
        default:
          if (!Step(step)) return Malformed(at, "not a seccomp instruction");
      }
      ++at;
    }
    return Malformed(code_.size(), "the program ends without an answer");
  }

 private:
  uint32_t Operand(const sock_filter& step) const {
    return BPF_SRC(step.code) == BPF_X ? index_ : step.k;
  }

  size_t Distance(const sock_filter& step) const {
    if (BPF_OP(step.code) == BPF_JA) return step.k;
    const uint32_t value = Operand(step);
    bool taken = false;
    switch (BPF_OP(step.code)) {
      case BPF_JEQ:
        taken = accumulator_ == value;
        break;
      case BPF_JGT:
        taken = accumulator_ > value;
        break;
      case BPF_JGE:
        taken = accumulator_ >= value;
        break;
      case BPF_JSET:
        taken = (accumulator_ & value) != 0;
        break;
    }
    return taken ? step.jt : step.jf;
  }

  bool Load(const sock_filter& step) {
    if (BPF_MODE(step.code) == BPF_ABS && BPF_SIZE(step.code) == BPF_W) {
      if (step.k % 4 != 0 || step.k + 4 > sizeof call_) return false;
      memcpy(&accumulator_, reinterpret_cast<const char*>(&call_) + step.k, 4);
      return true;
    }
    if (BPF_MODE(step.code) == BPF_IMM) return accumulator_ = step.k, true;
    if (BPF_MODE(step.code) == BPF_MEM && step.k < memory_.size()) {
      return accumulator_ = memory_[step.k], true;
    }
    return false;
  }

  bool Arithmetic(const sock_filter& step) {
    const uint32_t value = Operand(step);
    switch (BPF_OP(step.code)) {
      case BPF_ADD:
        accumulator_ += value;
        return true;
      case BPF_SUB:
        accumulator_ -= value;
        return true;
      case BPF_MUL:
        accumulator_ *= value;
        return true;
      case BPF_AND:
        accumulator_ &= value;
        return true;
      case BPF_OR:
        accumulator_ |= value;
        return true;
      case BPF_XOR:
        accumulator_ ^= value;
        return true;
      case BPF_LSH:
        accumulator_ <<= value & 31;
        return true;
      case BPF_RSH:
        accumulator_ >>= value & 31;
        return true;
      case BPF_NEG:
        accumulator_ = -accumulator_;
        return true;
      default:
        return false;
    }
  }

  bool Step(const sock_filter& step) {
    switch (BPF_CLASS(step.code)) {
      case BPF_LD:
        return Load(step);
      case BPF_ALU:
        return Arithmetic(step);
      case BPF_ST:
        if (step.k >= memory_.size()) return false;
        memory_[step.k] = accumulator_;
        return true;
      case BPF_MISC:
        if (BPF_MISCOP(step.code) == BPF_TAX)
          index_ = accumulator_;
        else
          accumulator_ = index_;
        return true;
      default:
        return false;
    }
  }

  absl::Span<const sock_filter> code_;
  const seccomp_data& call_;
  uint32_t accumulator_ = 0;
  uint32_t index_ = 0;
  std::array<uint32_t, BPF_MEMWORDS> memory_{};
};

// What no policy may allow: mounts, namespaces, other processes, kernel state, wide attack surface.
constexpr const char* kNever[] = {
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "unshare",
    "setns",
    "bpf",
    "perf_event_open",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "userfaultfd",
    "keyctl",
    "add_key",
    "request_key",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "reboot",
    "swapon",
    "swapoff",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "kcmp",
    "pidfd_getfd",
    "name_to_handle_at",
    "open_by_handle_at",
    "acct",
    "settimeofday",
    "clock_settime",
    "iopl",
    "ioperm",
    "syslog",
    "quotactl",
    "vhangup",
    "fanotify_init",
    "move_pages",
    "migrate_pages",
    "memfd_secret",
    "lookup_dcookie",
    "uselib",
};
constexpr uint64_t kNamespaceFlags = 0x7E020000;

bool Refuses(uint32_t answer) {
  const uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
  return action == SECCOMP_RET_KILL_PROCESS || action == SECCOMP_RET_KILL_THREAD ||
         (action == SECCOMP_RET_ERRNO && (answer & SECCOMP_RET_DATA) != 0);
}

absl::Status Expect(const SeccompProgram& program, const seccomp_data& call, bool met(uint32_t),
                    absl::string_view what) {
  const absl::StatusOr<uint32_t> answer = EvaluateSeccomp(program, call);
  if (!answer.ok()) return answer.status();
  if (met(*answer)) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("the filter does not ", what));
}

seccomp_data Call(int number, uint64_t argument = 0) {
  seccomp_data call{};
  call.nr = number;
  call.arch = AUDIT_ARCH_X86_64;
  call.args[0] = argument;
  return call;
}

bool Kills(uint32_t answer) {
  return answer == SECCOMP_RET_KILL_PROCESS;
}
bool SaysNotThere(uint32_t answer) {
  return answer == (SECCOMP_RET_ERRNO | ENOSYS);
}

absl::Status CheckForeign(const SeccompProgram& program) {
  seccomp_data call = Call(SCMP_SYS(getpid));
  for (const uint32_t arch :
       std::initializer_list<uint32_t>{AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0}) {
    call.arch = arch;
    if (absl::Status status = Expect(program, call, Kills, "kill calls of a foreign architecture");
        !status.ok()) {
      return status;
    }
  }
  call = Call(static_cast<int>(kX32Bit | static_cast<uint32_t>(SCMP_SYS(getpid))));
  return Expect(program, call, Refuses, "refuse x32 calls");
}

}  // namespace

absl::StatusOr<uint32_t> EvaluateSeccomp(const SeccompProgram& program, const seccomp_data& call) {
  return Machine(program.instructions(), call).Run();
}

absl::Status CheckSeccompFloor(const SeccompProgram& program) {
  if (absl::Status status = CheckForeign(program); !status.ok()) return status;
  for (const char* name : kNever) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number < 0) continue;  // not on this architecture
    if (absl::Status status = Expect(program, Call(number), Refuses, absl::StrCat("refuse ", name));
        !status.ok()) {
      return status;
    }
  }
  if (absl::Status status =
          Expect(program, Call(SCMP_SYS(clone3)), SaysNotThere, "answer ENOSYS to clone3");
      !status.ok()) {
    return status;
  }
  for (uint64_t flag = 1; flag <= kNamespaceFlags; flag <<= 1) {
    if ((flag & kNamespaceFlags) == 0) continue;
    if (absl::Status status = Expect(program, Call(SCMP_SYS(clone), flag | 17), Refuses,
                                     "refuse clone with namespace flags");
        !status.ok()) {
      return status;
    }
  }
  for (const int family : {AF_NETLINK, AF_PACKET, AF_KEY, AF_ALG, AF_VSOCK, AF_XDP, AF_BLUETOOTH}) {
    if (absl::Status status = Expect(program, Call(SCMP_SYS(socket), static_cast<uint64_t>(family)),
                                     Refuses, absl::StrCat("refuse sockets of family ", family));
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace cellblock
