#include "sandbox/seccomp/disassemble.h"

#include <linux/audit.h>
#include <linux/bpf_common.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sandbox/seccomp/decision.h"
#include "sandbox/spec/known_calls.h"

namespace cellblock {
namespace {

std::string NameOfWord(uint32_t offset) {
  if (offset == offsetof(seccomp_data, nr)) return "number";
  if (offset == offsetof(seccomp_data, arch)) return "architecture";
  const uint32_t words = offset / sizeof(uint32_t);
  if (words < 4)
    return words == 2 ? "instruction pointer, low half" : "instruction pointer, high half";
  return absl::StrCat("argument ", (words - 4) / 2, words % 2 == 0 ? ", low half" : ", high half");
}

std::string NameOfAnswer(uint32_t answer) {
  if ((answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_USER_NOTIF) return "tell the daemon";
  const absl::StatusOr<Verdict> verdict = VerdictOf(answer);
  return verdict.ok() ? NameOf(*verdict) : absl::StrCat("0x", absl::Hex(answer));
}

std::string Operand(const sock_filter& step) {
  return BPF_SRC(step.code) == BPF_X ? "x" : absl::StrFormat("0x%x", step.k);
}

std::string NameOfJump(uint16_t code) {
  switch (BPF_OP(code)) {
    case BPF_JEQ:
      return "==";
    case BPF_JGT:
      return ">";
    case BPF_JGE:
      return ">=";
    default:
      return "has a bit of";
  }
}

const char* NameOfOperation(uint16_t code) {
  constexpr const char* kNames[] = {"+", "-", "*", "/", "|", "&", "<<", ">>", "neg", "%", "^"};
  const unsigned index = BPF_OP(code) >> 4;
  return index < std::size(kNames) ? kNames[index] : "?";
}

std::string Source(const sock_filter& step) {
  if (BPF_MODE(step.code) == BPF_ABS) return NameOfWord(step.k);
  if (BPF_MODE(step.code) == BPF_MEM) return absl::StrCat("m", step.k);
  return BPF_MODE(step.code) == BPF_LEN ? "the length" : absl::StrFormat("0x%x", step.k);
}

// `number`: the accumulator holds the call's number, whichever way leads here.
std::string Jump(size_t next, const sock_filter& step, bool number) {
  if (BPF_OP(step.code) == BPF_JA) return absl::StrCat("go to ", next + step.k);
  const std::string name = number && BPF_SRC(step.code) == BPF_K ? CallName(step.k) : "";
  return absl::StrCat("if ", NameOfJump(step.code), " ", name.empty() ? Operand(step) : name,
                      " go to ", next + step.jt, " else ", next + step.jf);
}

std::string Line(size_t at, const sock_filter& step, bool number) {
  switch (BPF_CLASS(step.code)) {
    case BPF_LD:
      return absl::StrCat("load ", Source(step));
    case BPF_LDX:
      return absl::StrCat("load into x ", Source(step));
    case BPF_ST:
      return absl::StrCat("store in m", step.k);
    case BPF_STX:
      return absl::StrCat("store x in m", step.k);
    case BPF_ALU:
      return absl::StrCat(NameOfOperation(step.code), " ", Operand(step));
    case BPF_JMP:
      return Jump(at + 1, step, number);
    case BPF_RET:
      return BPF_RVAL(step.code) == BPF_A ? "answer the accumulator"
                                          : absl::StrCat("answer ", NameOfAnswer(step.k));
    default:
      return "copy between the accumulator and x";
  }
}

// For each instruction: does the accumulator hold the call's number on every way to it?
std::vector<bool> HoldsNumber(absl::Span<const sock_filter> code) {
  enum class Held { kUnreached, kNumber, kOther };
  std::vector<Held> held(code.size() + 1, Held::kUnreached);
  const auto reach = [&](size_t to, Held what) {
    if (to > code.size()) return;
    held[to] = held[to] == Held::kUnreached || held[to] == what ? what : Held::kOther;
  };
  reach(0, Held::kOther);
  std::vector<bool> numbers;
  for (size_t at = 0; at < code.size(); ++at) {
    const sock_filter& step = code[at];
    const bool is_number = held[at] == Held::kNumber;
    numbers.push_back(is_number);
    if (BPF_CLASS(step.code) == BPF_RET) continue;
    if (BPF_CLASS(step.code) == BPF_JMP) {
      const bool always = BPF_OP(step.code) == BPF_JA;
      reach(at + 1 + (always ? step.k : step.jt), held[at]);
      if (!always) reach(at + 1 + step.jf, held[at]);
      continue;
    }
    Held after = held[at];
    if (BPF_CLASS(step.code) == BPF_ALU || BPF_CLASS(step.code) == BPF_MISC) after = Held::kOther;
    if (BPF_CLASS(step.code) == BPF_LD) {
      const bool loads = BPF_MODE(step.code) == BPF_ABS && step.k == offsetof(seccomp_data, nr);
      after = loads ? Held::kNumber : Held::kOther;
    }
    reach(at + 1, after);
  }
  return numbers;
}

}  // namespace

std::string Disassemble(const SeccompProgram& program) {
  const absl::Span<const sock_filter> code = program.instructions();
  const std::vector<bool> numbers = HoldsNumber(code);
  std::string text;
  for (size_t at = 0; at < code.size(); ++at) {
    absl::StrAppendFormat(&text, "%5d  %s\n", at, Line(at, code[at], numbers[at]));
  }
  return text;
}

}  // namespace cellblock
