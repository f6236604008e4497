// The kernel's answers against the evaluator's: a forked child loads the default policy's filter
// and makes calls that do no harm whatever the answer.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/io.h"
#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

constexpr int kNoFilter = 99;

bool LoadFilter(const SeccompProgram& program) {
  sock_fprog filter{static_cast<unsigned short>(program.instructions().size()),
                    const_cast<sock_filter*>(program.instructions().data())};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

// Wait status of a child that loads the filter and exits with what `act` gives. Between fork and
// exit only system calls.
template <typename Act>
int InChild(const SeccompProgram& program, Act act) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);  // Catch's handler would report in the child
    if (!LoadFilter(program)) _exit(kNoFilter);
    _exit(act());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

SeccompProgram PythonFilter() {
  return CompileText(*ReadFile(POLICY_DIR "/python.textproto"));
}

// Bad pointers and descriptors: allowed calls fail too, but with EFAULT, EBADF or EINVAL.
struct Try {
  const char* name;
  long arguments[5];
};
constexpr Try kTries[] = {
    {"getpid", {}},
    {"close", {-1}},
    {"ioctl", {-1, 0x5401}},
    {"ioctl", {-1, 0x5412}},
    {"ioctl", {-1, 0x100005412}},
    {"ioctl", {-1, 0x100005421}},
    {"socket", {1, 9999}},
    {"socket", {2, 9999}},
    {"socket", {16, 9999}},
    {"socket", {38, 9999}},
    {"mount", {}},
    {"umount2", {}},
    {"unshare", {-1}},
    {"setns", {-1}},
    {"clone", {0x10000000 | 0x800}},  // CLONE_NEWUSER; CLONE_SIGHAND without CLONE_VM is EINVAL
    {"clone", {0x800}},
    {"clone3", {}},
    {"bpf", {-1}},
    {"ptrace", {-1, -1}},
    {"io_uring_setup", {}},
    {"keyctl", {-1}},
    {"perf_event_open", {}},
    {"mbind", {}},
    {"fchmodat2", {-1}},
    {"prctl", {35, -1}},
    {"prctl", {27}},
    {"personality", {0xffffffff}},
    {"personality", {0x400000}},
    {"prlimit64", {0, 7}},
    {"prlimit64", {1, 7}},
    {"setpriority", {2, 0, 0}},
    {"sync", {}},
};

TEST_CASE("the kernel answers as the evaluator does") {
  const SeccompProgram program = PythonFilter();
  for (const Try& call : kTries) {
    CAPTURE(call.name, call.arguments[0], call.arguments[1]);
    const int number = CallNumber(call.name);
    const long* a = call.arguments;
    const uint32_t expected = *EvaluateSeccomp(
        program, NativeCall(number, {static_cast<uint64_t>(a[0]), static_cast<uint64_t>(a[1]),
                                     static_cast<uint64_t>(a[2])}));
    const int status = InChild(program, [&] {
      const long result = syscall(number, a[0], a[1], a[2], a[3], a[4]);
      return result == -1 ? errno : 0;
    });
    REQUIRE(WIFEXITED(status));
    const int error = WEXITSTATUS(status);
    REQUIRE(error != kNoFilter);
    if (expected == kAllowed) {
      CHECK(error != EPERM);
      CHECK(error != ENOSYS);
    } else {
      CHECK(error == static_cast<int>(expected & SECCOMP_RET_DATA));
    }
  }
}

TEST_CASE("x32 numbers are not there") {
  const int status =
      InChild(PythonFilter(), [] { return syscall(0x40000000 | SYS_getpid) == -1 ? errno : 0; });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == ENOSYS);
}

int GetpidOf32Bit() {
  long result = 20;
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return 0;
}

// Some hosts take no 32-bit calls at all: there the instruction itself is fatal.
TEST_CASE("a 32-bit call kills the process with SIGSYS") {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    _exit(GetpidOf32Bit());
  }
  int unfiltered = -1;
  waitpid(child, &unfiltered, 0);
  const int status = InChild(PythonFilter(), GetpidOf32Bit);
  REQUIRE(WIFSIGNALED(status));
  if (WIFEXITED(unfiltered)) {
    CHECK(WTERMSIG(status) == SIGSYS);
  } else {
    WARN("this host takes no 32-bit calls: only the evaluator speaks for SIGSYS");
    CHECK(WTERMSIG(status) == WTERMSIG(unfiltered));
  }
}

TEST_CASE("an empty policy's child cannot even exit") {
  const int status = InChild(CompileText(kMinimalPolicy), [] { return 0; });
  CHECK(WIFSIGNALED(status));
}

}  // namespace
}  // namespace cellblock
