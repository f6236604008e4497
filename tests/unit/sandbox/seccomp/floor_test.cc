#include <stddef.h>

#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

// Empty if the floor holds, else the message.
std::string FloorOf(const SeccompProgram& program) {
  const absl::Status status = CheckSeccompFloor(program);
  if (!status.ok()) CHECK(status.code() == absl::StatusCode::kPermissionDenied);
  return std::string(status.message());
}

std::string FloorOfRule(const std::string& body) {
  return FloorOf(CompileRules("rules { reason: 'r' " + body + " }"));
}

TEST_CASE("a policy cannot allow what lies below the floor") {
  for (const char* call : {"mount",
                           "umount2",
                           "pivot_root",
                           "chroot",
                           "open_tree_attr",
                           "statmount",
                           "unshare",
                           "setns",
                           "bpf",
                           "ptrace",
                           "io_uring_setup",
                           "userfaultfd",
                           "process_vm_writev",
                           "pidfd_getfd",
                           "keyctl",
                           "kexec_load",
                           "init_module",
                           "open_by_handle_at",
                           "clock_settime",
                           "perf_event_open",
                           "reboot",
                           "memfd_secret"}) {
    CAPTURE(call);
    const std::string message = FloorOfRule(std::string("calls: '") + call + "'");
    CHECK(message.find(std::string("refuse ") + call) != std::string::npos);
  }
}

TEST_CASE("one secret argument does not get a call past the floor") {
  const std::string secret = " when { argument: 4 comparison: EQUAL value: 0x1234567890abcdef }";
  CHECK(FloorOfRule("calls: 'mount'" + secret).find("mount") != std::string::npos);
  CHECK(FloorOfRule("calls: 'clone'" + secret).find("clone") != std::string::npos);
  CHECK(FloorOfRule("calls: 'socket'" + secret).find("socket") != std::string::npos);
  CHECK(FloorOfRule("calls: 'prlimit64'" + secret).find("prlimit64") != std::string::npos);
}

TEST_CASE("arguments below the floor are found one by one") {
  CHECK(FloorOfRule("calls: 'clone'").find("namespace") != std::string::npos);
  CHECK(FloorOfRule("calls: 'clone' when { argument: 0 comparison: MASKED_EQUAL mask: 0x7C020000 }")
            .find("namespace") != std::string::npos);
  CHECK(FloorOfRule("calls: 'clone' when { argument: 0 comparison: MASKED_EQUAL mask: 0x7E020000 }")
            .empty());
  CHECK(FloorOfRule("calls: 'socket' when { argument: 0 comparison: ONE_OF values: 1 values: 16 }")
            .find("other families") != std::string::npos);
  CHECK(FloorOfRule("calls: 'socket' when { argument: 0 comparison: ONE_OF values: 1 values: 9 }")
            .find("family 9") != std::string::npos);
  CHECK(FloorOfRule("calls: 'socketpair'").find("socketpair") != std::string::npos);
  CHECK(FloorOfRule("calls: 'socket' when { argument: 0 comparison: ONE_OF values: 1 values: 2"
                    " values: 10 low_32_bits: true }")
            .empty());
  CHECK(FloorOfRule("calls: 'sched_setaffinity'").find("other processes") != std::string::npos);
  CHECK(FloorOfRule("calls: 'setpriority' when { argument: 1 comparison: EQUAL value: 0 }")
            .find("setpriority") != std::string::npos);
}

TEST_CASE("programs of another maker are held to the same floor") {
  CHECK(FloorOf(ProgramOf({BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)})).find("foreign") !=
        std::string::npos);
  CHECK(FloorOf(ProgramOf({BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)})).find("clone3") !=
        std::string::npos);
  const auto arch = static_cast<uint32_t>(offsetof(seccomp_data, arch));
  // Refuses all: kill the foreign, ENOSYS for the rest.
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arch),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                   BPF_STMT(BPF_RET | BPF_K, kSaysEnosys)};
  CHECK(FloorOf(ProgramOf(code)).empty());
  // Weaker answers are no refusals.
  for (const uint32_t answer :
       std::initializer_list<uint32_t>{SECCOMP_RET_LOG, SECCOMP_RET_TRACE, SECCOMP_RET_USER_NOTIF,
                                       SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO}) {
    code.back().k = answer;
    CHECK_FALSE(FloorOf(ProgramOf(code)).empty());
  }
  // One foreign architecture is let through.
  code.insert(code.begin() + 1, {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
  code.back().k = kSaysEnosys;
  CHECK(FloorOf(ProgramOf(code)).find("foreign") != std::string::npos);
}

TEST_CASE("x32 numbers are asked for as a whole") {
  const auto number = static_cast<uint32_t>(offsetof(seccomp_data, nr));
  const auto arch = static_cast<uint32_t>(offsetof(seccomp_data, arch));
  const SeccompProgram program = ProgramOf(
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arch),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x400000a5, 0, 1),  // mount of x32
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, kSaysEnosys)});
  CHECK(FloorOf(program).find("x32") != std::string::npos);
}

TEST_CASE("a program that the kernel would not load has no floor") {
  CHECK(CheckSeccompFloor(ProgramOf({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)})).code() ==
        absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace cellblock
