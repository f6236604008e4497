#include "sandbox/child/init_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace cellblock::init {
namespace {

// clang-format off
constexpr int kCalls[] = {
    // the loop
    SYS_poll, SYS_recvmsg, SYS_sendmsg, SYS_read, SYS_write, SYS_close, SYS_wait4, SYS_kill,
    SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit_group,
    // files of the work folder
    SYS_openat, SYS_openat2, SYS_getdents64, SYS_newfstatat, SYS_fstatfs, SYS_mkdirat, SYS_unlinkat,
    SYS_renameat2, SYS_fchmod, SYS_fchmodat, SYS_ftruncate,
};
// clang-format on
constexpr size_t kCount = sizeof kCalls / sizeof kCalls[0];

// arch check, load number, one jump per call, kill, allow.
struct Program {
  sock_filter code[kCount + 6];
};

constexpr Program Build() {
  Program program{};
  size_t at = 0;
  program.code[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  program.code[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  program.code[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program.code[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (size_t i = 0; i < kCount; ++i) {
    const auto to_allow = static_cast<unsigned char>(kCount - i);
    program.code[at++] =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(kCalls[i]), to_allow, 0);
  }
  program.code[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program.code[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return program;
}

constexpr Program kProgram = Build();
static_assert(kCount < 200, "jump offsets are one byte");

}  // namespace

int LoadFilter() {
  const sock_fprog filter{sizeof kProgram.code / sizeof kProgram.code[0],
                          const_cast<sock_filter*>(kProgram.code)};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

}  // namespace cellblock::init
