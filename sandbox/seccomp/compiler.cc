#include "sandbox/seccomp/compiler.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/spec/known_calls.h"

namespace cellblock {
namespace {

constexpr uint32_t kX32Bit = 0x40000000;
constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
constexpr uint32_t kNotThere = SECCOMP_RET_ERRNO | ENOSYS;

using Code = std::vector<sock_filter>;
using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

// --- The prologue: what libseccomp cannot say --------------------------------------------------
// "Newer than", refusals that win over every ALLOW, and not-equal tests. It falls through to
// libseccomp's program.

Code& Add(Code& code, sock_filter step) {
  code.push_back(step);
  return code;
}

void Load(Code& code, size_t offset) {
  Add(code, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
}

void Return(Code& code, uint32_t answer) {
  Add(code, BPF_STMT(BPF_RET | BPF_K, answer));
}

size_t LowHalf(int argument) {
  return offsetof(seccomp_data, args) + 8 * argument;
}

// Jumps past the block (patched later) unless the argument's halves, masked, equal the value's.
void SkipUnlessEqual(Code& block, int argument, uint64_t mask, uint64_t value) {
  for (const int shift : {0, 32}) {
    const auto half_mask = static_cast<uint32_t>(mask >> shift);
    const auto half_value = static_cast<uint32_t>(value >> shift);
    if (half_mask == 0 && half_value == 0) continue;
    Load(block, LowHalf(argument) + shift / 8);
    if (half_mask != UINT32_MAX) Add(block, BPF_STMT(BPF_ALU | BPF_AND | BPF_K, half_mask));
    Add(block, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, half_value, 0, 0));
  }
}

uint64_t MaskOf(const ArgumentTest& test) {
  const uint64_t width = test.low_32_bits ? UINT32_MAX : UINT64_MAX;
  return test.comparison == ArgumentTest::Comparison::kMaskedEqual ? test.mask & width : width;
}

std::vector<uint64_t> ValuesOf(const ArgumentTest& test) {
  using Comparison = ArgumentTest::Comparison;
  if (test.comparison == Comparison::kOneOf || test.comparison == Comparison::kNoneOf) {
    return test.values;
  }
  return {test.value};
}

// One block: if the call is `number` and each test's chosen value matches, answer. Every
// conditional jump that fails leaves the block.
void AddBlock(Code& code, int number,
              const std::vector<std::pair<const ArgumentTest*, uint64_t>>& tests, uint32_t answer) {
  Code block;
  Load(block, offsetof(seccomp_data, nr));
  Add(block, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 0));
  for (const auto& [test, value] : tests) {
    SkipUnlessEqual(block, test->argument, MaskOf(*test), value & MaskOf(*test));
  }
  Return(block, answer);
  for (size_t i = 0; i < block.size(); ++i) {
    if (BPF_CLASS(block[i].code) == BPF_JMP) {
      block[i].jf = static_cast<uint8_t>(block.size() - 1 - i);
    }
  }
  code.insert(code.end(), block.begin(), block.end());
}

// Every combination of one value per test; a rule without tests is one empty combination.
using Combination = std::vector<std::pair<const ArgumentTest*, uint64_t>>;
std::vector<Combination> Combinations(const std::vector<const ArgumentTest*>& tests) {
  std::vector<Combination> all = {{}};
  for (const ArgumentTest* test : tests) {
    std::vector<Combination> next;
    for (const Combination& combination : all) {
      for (const uint64_t value : ValuesOf(*test)) {
        next.push_back(combination);
        next.back().emplace_back(test, value);
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<const ArgumentTest*> PositiveTests(const SyscallRule& rule) {
  std::vector<const ArgumentTest*> tests;
  for (const ArgumentTest& test : rule.when) {
    if (test.comparison != ArgumentTest::Comparison::kNoneOf) tests.push_back(&test);
  }
  return tests;
}

// An ALLOW with NONE_OF is an ALLOW without it plus a refusal of each of its values.
void AddRefusals(Code& code, const SyscallRule& rule, int number) {
  if (rule.action != SyscallRule::Action::kAllow) {
    const uint32_t answer = rule.action == SyscallRule::Action::kDeny ? kRefused : kNotThere;
    for (const Combination& tests : Combinations(PositiveTests(rule))) {
      AddBlock(code, number, tests, answer);
    }
    return;
  }
  for (const ArgumentTest& test : rule.when) {
    if (test.comparison != ArgumentTest::Comparison::kNoneOf) continue;
    for (const uint64_t value : test.values) AddBlock(code, number, {{&test, value}}, kRefused);
  }
}

Code Prologue(const Policy& policy, const CompileOptions& options) {
  Code code;
  Load(code, offsetof(seccomp_data, arch));
  Add(code, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  Return(code, SECCOMP_RET_KILL_PROCESS);
  Load(code, offsetof(seccomp_data, nr));
  // Covers x32 numbers too: they are larger than any of ours.
  Add(code, BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, static_cast<uint32_t>(NewestKnownCall()), 0, 1));
  Return(code, kNotThere);
  AddBlock(code, SCMP_SYS(clone3), {}, kNotThere);
  if (options.refuse_memfd) AddBlock(code, SCMP_SYS(memfd_create), {}, kRefused);
  for (const SyscallRule& rule : policy.syscall_rules()) {
    for (const std::string& call : rule.calls) {
      const int number = CallNumber(call);
      if (number >= 0) AddRefusals(code, rule, number);
    }
  }
  return code;
}

// --- libseccomp: the allow-list ------------------------------------------------------------------

std::vector<scmp_arg_cmp> Comparators(const Combination& combination) {
  std::vector<scmp_arg_cmp> comparators;
  for (const auto& [test, value] : combination) {
    const uint64_t mask = MaskOf(*test);
    comparators.push_back(
        SCMP_CMP64(static_cast<unsigned>(test->argument), SCMP_CMP_MASKED_EQ, mask, value & mask));
  }
  return comparators;
}

absl::Status Allow(scmp_filter_ctx filter, const SyscallRule& rule, const std::string& call) {
  const int number = CallNumber(call);
  if (number < 0) return absl::OkStatus();  // not on this architecture
  for (const Combination& combination : Combinations(PositiveTests(rule))) {
    const std::vector<scmp_arg_cmp> tests = Comparators(combination);
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
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
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
  const Code prologue = Prologue(policy, options);
  std::string bytes(reinterpret_cast<const char*>(prologue.data()),
                    prologue.size() * sizeof(sock_filter));
  return SeccompProgram::FromBytes(bytes + allowed);
}

}  // namespace cellblock
