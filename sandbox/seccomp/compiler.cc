#include "sandbox/seccomp/compiler.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/seccomp/block.h"
#include "sandbox/spec/known_calls.h"

namespace cellblock {
namespace {

constexpr uint32_t kX32Bit = 0x40000000;
constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
constexpr uint32_t kNotThere = SECCOMP_RET_ERRNO | ENOSYS;
constexpr const char* kUncountedMemory[] = {"memfd_create", "shmget", "msgget"};

using Comparison = ArgumentTest::Comparison;
using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

// libseccomp takes a rule whose tests are plain comparisons, one per argument; ONE_OF becomes one
// rule a value, so only one test of a rule may be a ONE_OF. It has no name for newer calls, and
// NONE_OF would need several tests of one argument.
bool LibseccompTakes(const SyscallRule& rule, int number) {
  std::set<int> arguments;
  int lists = 0;
  for (const ArgumentTest& test : rule.when) {
    if (test.comparison == Comparison::kNoneOf) return false;
    if (!arguments.insert(test.argument).second) return false;
    lists += test.comparison == Comparison::kOneOf;
  }
  return lists <= 1 && number <= kNewestKnownCall;
}

// --- The prologue --------------------------------------------------------------------------------

void AppendRules(BpfCode& code, const Policy& policy, bool refusals) {
  for (const SyscallRule& rule : policy.syscall_rules()) {
    if ((rule.action != SyscallRule::Action::kAllow) != refusals) continue;
    const uint32_t answer = !refusals ? static_cast<uint32_t>(SECCOMP_RET_ALLOW)
                            : rule.action == SyscallRule::Action::kDeny ? kRefused
                                                                        : kNotThere;
    for (const std::string& call : rule.calls) {
      const int number = CallNumber(call);
      if (number < 0) continue;  // not on this architecture
      if (refusals || !LibseccompTakes(rule, number)) AppendBlock(code, number, rule.when, answer);
    }
  }
}

BpfCode Prologue(const Policy& policy, const CompileOptions& options) {
  BpfCode code;
  AppendLoad(code, offsetof(seccomp_data, arch));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  AppendReturn(code, SECCOMP_RET_KILL_PROCESS);
  AppendLoad(code, offsetof(seccomp_data, nr));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1));
  AppendReturn(code, kNotThere);
  AppendBlock(code, SCMP_SYS(clone3), {}, kNotThere);
  if (options.refuse_memfd) {
    for (const char* call : kUncountedMemory) AppendBlock(code, CallNumber(call), {}, kRefused);
  }
  AppendRules(code, policy, /*refusals=*/true);
  AppendRules(code, policy, /*refusals=*/false);
  AppendLoad(code, offsetof(seccomp_data, nr));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, uint32_t{kNewestKnownCall}, 0, 1));
  AppendReturn(code, kNotThere);
  return code;
}

// --- libseccomp: the allow-list ------------------------------------------------------------------

// MASKED_EQ with a full mask is EQ; with the low half's mask it ignores what the kernel ignores.
scmp_arg_cmp Comparator(const ArgumentTest& test, uint64_t value) {
  const uint64_t mask = MaskOf(test);
  return SCMP_CMP64(static_cast<unsigned>(test.argument), SCMP_CMP_MASKED_EQ, mask, value & mask);
}

// One list of comparators per value of the rule's ONE_OF, if it has one.
std::vector<std::vector<scmp_arg_cmp>> Alternatives(const SyscallRule& rule) {
  std::vector<std::vector<scmp_arg_cmp>> alternatives = {{}};
  for (const ArgumentTest& test : rule.when) {
    if (test.comparison == Comparison::kOneOf) {
      alternatives.resize(test.values.size(), alternatives.front());
    }
    for (size_t i = 0; i < alternatives.size(); ++i) {
      const bool list = test.comparison == Comparison::kOneOf;
      alternatives[i].push_back(Comparator(test, list ? test.values[i] : test.value));
    }
  }
  return alternatives;
}

absl::Status Allow(scmp_filter_ctx filter, const SyscallRule& rule, const std::string& call) {
  const int number = CallNumber(call);
  if (number < 0 || !LibseccompTakes(rule, number)) return absl::OkStatus();
  for (const std::vector<scmp_arg_cmp>& tests : Alternatives(rule)) {
    const int error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number,
                                             static_cast<unsigned>(tests.size()), tests.data());
    if (error != 0 && error != -EEXIST) {
      return absl::InvalidArgumentError(absl::StrCat("rule \"", rule.reason, "\", call ", call,
                                                     ": libseccomp: ", strerror(-error)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Export(scmp_filter_ctx filter) {
  UniqueFd memory(memfd_create("filter", MFD_CLOEXEC));
  if (!memory.valid()) return ErrnoStatus("memfd_create", "filter", errno);
  if (const int error = seccomp_export_bpf(filter, memory.get()); error != 0) {
    return ErrnoStatus("seccomp_export_bpf", "", -error);
  }
  std::string bytes(static_cast<size_t>(lseek(memory.get(), 0, SEEK_END)), '\0');
  if (pread(memory.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return ErrnoStatus("read", "filter", errno);
  }
  return bytes;
}

absl::StatusOr<std::string> AllowList(const Policy& policy) {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  if (filter == nullptr) return absl::ResourceExhaustedError("seccomp_init");
  // A binary tree halves the kernel's load time for lists of this length.
  int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (error == 0) {
    error = seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  }
  if (error != 0) return ErrnoStatus("seccomp_attr_set", "", -error);
  for (const SyscallRule& rule : policy.syscall_rules()) {
    if (rule.action != SyscallRule::Action::kAllow) continue;
    for (const std::string& call : rule.calls) {
      CELLBLOCK_RETURN_IF_ERROR(Allow(filter.get(), rule, call));
    }
  }
  return Export(filter.get());
}

}  // namespace

absl::StatusOr<SeccompProgram> CompileSeccomp(const Policy& policy, const CompileOptions& options) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string allowed, AllowList(policy));
  const BpfCode prologue = Prologue(policy, options);
  std::string bytes(reinterpret_cast<const char*>(prologue.data()),
                    prologue.size() * sizeof(sock_filter));
  return SeccompProgram::FromBytes(bytes + allowed);
}

}  // namespace cellblock
