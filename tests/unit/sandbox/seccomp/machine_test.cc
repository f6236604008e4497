#include "sandbox/seccomp/machine.h"

#include <stddef.h>

#include <random>

#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

using Code = std::vector<sock_filter>;

constexpr uint32_t kLow = offsetof(seccomp_data, args);
constexpr uint32_t kHigh = offsetof(seccomp_data, args) + 4;

uint32_t Run(const Code& code, uint64_t argument = 0) {
  return EvaluateSeccomp(ProgramOf(code), NativeCall(0, {argument})).value();
}

// A = low half, X = high half, one operation, return A.
uint32_t Operate(uint16_t operation, uint32_t a, uint32_t x) {
  return Run({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kHigh), BPF_STMT(BPF_MISC | BPF_TAX, 0),
              BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kLow),
              BPF_STMT(static_cast<uint16_t>(BPF_ALU | operation | BPF_X), 0),
              BPF_STMT(BPF_RET | BPF_A, 0)},
             uint64_t{x} << 32 | a);
}

TEST_CASE("arithmetic is that of 32-bit words") {
  CHECK(Operate(BPF_ADD, 0xffffffff, 2) == 1);
  CHECK(Operate(BPF_SUB, 1, 2) == 0xffffffff);
  CHECK(Operate(BPF_MUL, 0x10000, 0x10001) == 0x10000);
  CHECK(Operate(BPF_DIV, 7, 2) == 3);
  CHECK(Operate(BPF_DIV, 7, 0) == 0);
  CHECK(Operate(BPF_AND, 12, 10) == 8);
  CHECK(Operate(BPF_OR, 12, 10) == 14);
  CHECK(Operate(BPF_XOR, 12, 10) == 6);
  CHECK(Operate(BPF_LSH, 1, 4) == 16);
  CHECK(Operate(BPF_RSH, 16, 4) == 1);
  CHECK(Run({BPF_STMT(BPF_LD | BPF_IMM, 5), BPF_STMT(BPF_ALU | BPF_NEG, 0),
             BPF_STMT(BPF_RET | BPF_A, 0)}) == 0xfffffffb);
}

TEST_CASE("memory, index and length are there") {
  CHECK(Run({BPF_STMT(BPF_LD | BPF_IMM, 9), BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_IMM, 0),
             BPF_STMT(BPF_LDX | BPF_MEM, 3), BPF_STMT(BPF_STX, 15), BPF_STMT(BPF_LD | BPF_MEM, 15),
             BPF_STMT(BPF_RET | BPF_A, 0)}) == 9);
  CHECK(Run({BPF_STMT(BPF_LDX | BPF_IMM, 8), BPF_STMT(BPF_MISC | BPF_TXA, 0),
             BPF_STMT(BPF_RET | BPF_A, 0)}) == 8);
  CHECK(Run({BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), BPF_STMT(BPF_RET | BPF_A, 0)}) == 64);
}

TEST_CASE("comparisons are unsigned") {
  struct Case {
    uint16_t operation;
    uint32_t a, k;
    bool taken;
  };
  for (const Case& c : {Case{BPF_JEQ, 5, 5, true},
                        {BPF_JEQ, 5, 6, false},
                        {BPF_JGT, 6, 5, true},
                        {BPF_JGT, 5, 5, false},
                        {BPF_JGT, 0xffffffff, 1, true},
                        {BPF_JGE, 5, 5, true},
                        {BPF_JGE, 4, 5, false},
                        {BPF_JSET, 6, 2, true},
                        {BPF_JSET, 4, 3, false}}) {
    const Code code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kLow),
                       BPF_JUMP(static_cast<uint16_t>(BPF_JMP | c.operation | BPF_K), c.k, 0, 1),
                       BPF_STMT(BPF_RET | BPF_K, 1), BPF_STMT(BPF_RET | BPF_K, 0)};
    CHECK(Run(code, c.a) == c.taken);
  }
}

TEST_CASE("programs that the kernel would not load are refused") {
  const sock_filter end = BPF_STMT(BPF_RET | BPF_K, 0);
  for (const Code& code :
       {Code{BPF_STMT(BPF_LD | BPF_IMM, 0)},                      // no answer
        Code{BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), end},  // jump out
        Code{BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), end},
        Code{BPF_STMT(BPF_JMP | BPF_JA, 1), end},
        Code{BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), end},  // backwards
        Code{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), end},  // past the data
        Code{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), end},   // not aligned
        Code{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), end},
        Code{BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0), end},
        Code{BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), end}, Code{BPF_STMT(BPF_ST, 16), end},
        Code{BPF_STMT(BPF_LD | BPF_MEM, 16), end},
        Code{BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), end},
        Code{BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 3), end},
        Code{BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32), end}, Code{BPF_STMT(BPF_RET | BPF_X, 0)},
        Code{BPF_STMT(0xffff, 0), end}}) {
    CAPTURE(code.front().code, code.front().k);
    CHECK(EvaluateSeccomp(ProgramOf(code), NativeCall(0)).status().code() ==
          absl::StatusCode::kInvalidArgument);
  }
}

// What is proved of partly known calls holds for each call that fits.
TEST_CASE("the answers to a partly known call hold those to every call of its kind") {
  const SeccompProgram program = CompileRules(
      "rules { reason: 'r' calls: 'ioctl'"
      " when { argument: 0 comparison: MASKED_EQUAL mask: 0x7e020000 }"
      " when { argument: 1 comparison: NONE_OF values: 3 values: 5 } }"
      "rules { reason: 'r' calls: 'ioctl' when { argument: 1 comparison: ONE_OF values: 7 } }"
      "rules { reason: 'r' calls: 'ioctl' action: NOT_AVAILABLE"
      " when { argument: 2 comparison: EQUAL value: 1 } }");
  std::mt19937 random(3);
  Machine machine(program.instructions());
  for (int round = 0; round < 5000; ++round) {
    seccomp_data call = NativeCall(CallNumber("ioctl"));
    for (auto& argument : call.args) argument = random() % 4 == 0 ? random() : random() % 9;
    PartialCall partial = PartialCall::Of(call);
    for (size_t i = 4; i < partial.words.size(); ++i) {
      const auto known = static_cast<uint32_t>(random() | random());
      partial.words[i] = {known, partial.words[i].value & known};
    }
    const uint32_t answer = *EvaluateSeccomp(program, call);
    bool found = false;
    for (const Word& possible : machine.Answers(partial)) {
      found = found || (answer & possible.known) == possible.value;
    }
    REQUIRE(found);
  }
}

}  // namespace
}  // namespace cellblock
