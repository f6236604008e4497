// Classic BPF as seccomp takes it, run over words of which only some bits are known. With every bit
// known it answers as the kernel does; with some unknown it gives every answer that a call with the
// known bits could get, and perhaps a few more. That is how a filter is proved, not sampled.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_MACHINE_H_
#define CELLBLOCK_SANDBOX_SECCOMP_MACHINE_H_

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace cellblock {

// Bits outside `known` may be anything; they are 0 in `value`.
struct Word {
  uint32_t known = 0;
  uint32_t value = 0;

  static Word Exactly(uint32_t value) { return {UINT32_MAX, value}; }
  static Word WithBits(uint32_t bits) { return {bits, bits}; }  // these are 1
  static Word Differing(uint32_t from, uint32_t bit) { return {bit, ~from & bit}; }

  bool exact() const { return known == UINT32_MAX; }
  uint32_t most() const { return value | ~known; }  // the largest that it can be
};

// struct seccomp_data as words; unknown until set.
struct PartialCall {
  std::array<Word, sizeof(seccomp_data) / sizeof(uint32_t)> words;

  static PartialCall Of(const seccomp_data& call);
  static PartialCall Native(int number);  // x86-64, all arguments unknown
  Word& number() { return words[0]; }
  Word& arch() { return words[1]; }
  Word& low(int argument) { return words[4 + 2 * argument]; }
};

// INVALID_ARGUMENT names the first instruction for which the kernel would not load the program.
absl::Status CheckWellFormed(absl::Span<const sock_filter> code);

class Machine {
 public:
  // `code` is well formed and outlives the machine.
  explicit Machine(absl::Span<const sock_filter> code) : code_(code), states_(code.size()) {}

  // Every answer that some call of this kind may get.
  std::vector<Word> Answers(const PartialCall& call);

 private:
  // What is known before an instruction, over all ways that lead to it.
  struct State {
    bool reached = false;
    Word accumulator, index;
    std::array<Word, BPF_MEMWORDS> memory;
  };

  void Reach(size_t at, const State& from);
  void Branch(size_t at, const sock_filter& step, const State& state);
  static void Step(const sock_filter& step, const PartialCall& call, State& state);

  absl::Span<const sock_filter> code_;
  std::vector<State> states_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_MACHINE_H_
