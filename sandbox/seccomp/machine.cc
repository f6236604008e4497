#include "sandbox/seccomp/machine.h"

#include <linux/audit.h>

#include <cstring>

namespace cellblock {
namespace {

enum class Truth { kNo, kYes, kEither };

Truth Decide(bool yes, bool no) {
  return yes ? Truth::kYes : no ? Truth::kNo : Truth::kEither;
}

Truth Compare(uint16_t operation, const Word& a, const Word& b) {
  switch (operation) {
    case BPF_JEQ:
      return Decide(a.exact() && b.exact() && a.value == b.value,
                    ((a.value ^ b.value) & a.known & b.known) != 0);
    case BPF_JGT:
      return Decide(a.value > b.most(), a.most() <= b.value);
    case BPF_JGE:
      return Decide(a.value >= b.most(), a.most() < b.value);
    default:  // BPF_JSET
      return Decide((a.value & b.value) != 0, (a.most() & b.most()) == 0);
  }
}

uint32_t Arithmetic(uint16_t operation, uint32_t a, uint32_t b) {
  switch (operation) {
    case BPF_ADD:
      return a + b;
    case BPF_SUB:
      return a - b;
    case BPF_MUL:
      return a * b;
    case BPF_DIV:
      return b != 0 ? a / b : 0;
    case BPF_LSH:
      return a << (b & 31);
    case BPF_RSH:
      return a >> (b & 31);
    default:  // BPF_NEG
      return -a;
  }
}

// Bitwise operations keep what is known of each bit; the others need both words in full.
Word Apply(uint16_t operation, const Word& a, const Word& b) {
  Word result;
  switch (operation) {
    case BPF_AND:
      result.known = (a.known & b.known) | (a.known & ~a.value) | (b.known & ~b.value);
      result.value = a.value & b.value;
      return result;
    case BPF_OR:
      result.known = (a.known & b.known) | a.value | b.value;
      result.value = a.value | b.value;
      return result;
    case BPF_XOR:
      result.known = a.known & b.known;
      result.value = (a.value ^ b.value) & result.known;
      return result;
    default:
      if (!a.exact() || (operation != BPF_NEG && !b.exact())) return result;
      return Word::Exactly(Arithmetic(operation, a.value, b.value));
  }
}

Word Join(const Word& a, const Word& b) {
  const uint32_t known = a.known & b.known & ~(a.value ^ b.value);
  return {known, a.value & known};
}

bool DividesByZero(const sock_filter& step, const Word& divisor) {
  return step.code == (BPF_ALU | BPF_DIV | BPF_X) && divisor.value == 0;
}

// The instructions of the kernel's seccomp_check_filter and bpf_check_classic.
bool IsAllowed(const sock_filter& step) {
  const uint16_t code = step.code;
  switch (BPF_CLASS(code)) {
    case BPF_LD:
      if (code == (BPF_LD | BPF_W | BPF_ABS)) {
        return step.k % sizeof(uint32_t) == 0 && step.k < sizeof(seccomp_data);
      }
      return code == (BPF_LD | BPF_W | BPF_LEN) || code == (BPF_LD | BPF_IMM) ||
             (code == (BPF_LD | BPF_MEM) && step.k < BPF_MEMWORDS);
    case BPF_LDX:
      return code == (BPF_LDX | BPF_W | BPF_LEN) || code == (BPF_LDX | BPF_IMM) ||
             (code == (BPF_LDX | BPF_MEM) && step.k < BPF_MEMWORDS);
    case BPF_ST:
    case BPF_STX:
      return (code & ~BPF_CLASS(code)) == 0 && step.k < BPF_MEMWORDS;
    case BPF_ALU:
      if ((code & ~0xff) != 0 || BPF_OP(code) > BPF_XOR || BPF_OP(code) == BPF_MOD) return false;
      if (BPF_OP(code) == BPF_NEG) return BPF_SRC(code) == BPF_K;
      if (BPF_SRC(code) == BPF_X) return true;
      if (BPF_OP(code) == BPF_LSH || BPF_OP(code) == BPF_RSH) return step.k < 32;
      return BPF_OP(code) != BPF_DIV || step.k != 0;
    case BPF_JMP:
      return BPF_OP(code) <= BPF_JSET && (code & ~0xff) == 0 &&
             (BPF_OP(code) != BPF_JA || BPF_SRC(code) == BPF_K);
    case BPF_RET:
      return code == (BPF_RET | BPF_K) || code == (BPF_RET | BPF_A);
    default:
      return code == (BPF_MISC | BPF_TAX) || code == (BPF_MISC | BPF_TXA);
  }
}

bool StaysInside(absl::Span<const sock_filter> code, size_t at) {
  const sock_filter& step = code[at];
  if (BPF_CLASS(step.code) == BPF_RET) return true;
  const size_t left = code.size() - at - 1;
  if (BPF_CLASS(step.code) != BPF_JMP) return left > 0;
  if (BPF_OP(step.code) == BPF_JA) return step.k < left;
  return step.jt < left && step.jf < left;
}

}  // namespace

PartialCall PartialCall::Of(const seccomp_data& call) {
  PartialCall partial;
  for (size_t i = 0; i < partial.words.size(); ++i) {
    uint32_t word;
    memcpy(&word, reinterpret_cast<const char*>(&call) + i * sizeof word, sizeof word);
    partial.words[i] = Word::Exactly(word);
  }
  return partial;
}

PartialCall PartialCall::Native(int number) {
  PartialCall call;
  call.number() = Word::Exactly(static_cast<uint32_t>(number));
  call.arch() = Word::Exactly(AUDIT_ARCH_X86_64);
  return call;
}

absl::Status CheckWellFormed(absl::Span<const sock_filter> code) {
  for (size_t at = 0; at < code.size(); ++at) {
    const char* wrong = !IsAllowed(code[at])     ? "not an instruction that seccomp takes"
                        : !StaysInside(code, at) ? "leaves the program without an answer"
                                                 : nullptr;
    if (wrong != nullptr) {
      return absl::InvalidArgumentError("instruction " + std::to_string(at) + ": " + wrong);
    }
  }
  return code.empty() ? absl::InvalidArgumentError("an empty program") : absl::OkStatus();
}

// Jumps only lead forward, so one pass in order sees each instruction after all ways to it.
std::vector<Word> Machine::Answers(const PartialCall& call) {
  for (State& state : states_) state.reached = false;
  State start{.reached = true};
  start.accumulator = start.index = Word::Exactly(0);
  start.memory.fill(Word::Exactly(0));
  Reach(0, start);
  std::vector<Word> answers;
  for (size_t at = 0; at < code_.size(); ++at) {
    if (!states_[at].reached) continue;
    const sock_filter& step = code_[at];
    State state = states_[at];
    if (BPF_CLASS(step.code) == BPF_RET) {
      answers.push_back(BPF_RVAL(step.code) == BPF_A ? state.accumulator : Word::Exactly(step.k));
    } else if (BPF_CLASS(step.code) == BPF_JMP) {
      Branch(at, step, state);
    } else {
      // The kernel ends the program with 0 when it divides by zero.
      if (DividesByZero(step, state.index)) answers.push_back(Word::Exactly(0));
      if (DividesByZero(step, state.index) && state.index.exact()) continue;
      Step(step, call, state);
      Reach(at + 1, state);
    }
  }
  return answers;
}

void Machine::Reach(size_t at, const State& from) {
  State& state = states_[at];
  if (!state.reached) {
    state = from;
    return;
  }
  state.accumulator = Join(state.accumulator, from.accumulator);
  state.index = Join(state.index, from.index);
  for (size_t i = 0; i < state.memory.size(); ++i) {
    state.memory[i] = Join(state.memory[i], from.memory[i]);
  }
}

void Machine::Branch(size_t at, const sock_filter& step, const State& state) {
  if (BPF_OP(step.code) == BPF_JA) return Reach(at + 1 + step.k, state);
  const Word operand = BPF_SRC(step.code) == BPF_X ? state.index : Word::Exactly(step.k);
  const Truth truth = Compare(BPF_OP(step.code), state.accumulator, operand);
  if (truth != Truth::kNo) Reach(at + 1 + step.jt, state);
  if (truth != Truth::kYes) Reach(at + 1 + step.jf, state);
}

void Machine::Step(const sock_filter& step, const PartialCall& call, State& state) {
  const bool to_index = BPF_CLASS(step.code) == BPF_LDX;
  Word& target = to_index ? state.index : state.accumulator;
  switch (BPF_CLASS(step.code)) {
    case BPF_LD:
    case BPF_LDX:
      if (BPF_MODE(step.code) == BPF_ABS) target = call.words[step.k / sizeof(uint32_t)];
      if (BPF_MODE(step.code) == BPF_LEN) target = Word::Exactly(sizeof(seccomp_data));
      if (BPF_MODE(step.code) == BPF_IMM) target = Word::Exactly(step.k);
      if (BPF_MODE(step.code) == BPF_MEM) target = state.memory[step.k];
      return;
    case BPF_ST:
      state.memory[step.k] = state.accumulator;
      return;
    case BPF_STX:
      state.memory[step.k] = state.index;
      return;
    case BPF_ALU:
      target = Apply(BPF_OP(step.code), state.accumulator,
                     BPF_SRC(step.code) == BPF_X ? state.index : Word::Exactly(step.k));
      return;
    default:  // BPF_MISC
      if (BPF_MISCOP(step.code) == BPF_TAX)
        state.index = state.accumulator;
      else
        state.accumulator = state.index;
  }
}

}  // namespace cellblock
