#include "sandbox/seccomp/block.h"

#include <linux/seccomp.h>
#include <stddef.h>

namespace cellblock {
namespace {

using Comparison = ArgumentTest::Comparison;

// Instructions with forward jumps to labels, resolved when all labels are bound.
class Assembler {
 public:
  int NewLabel() {
    targets_.push_back(0);
    return static_cast<int>(targets_.size()) - 1;
  }
  void Bind(int label) { targets_[label] = code_.size(); }

  void Jump(int label) {
    jumps_.push_back({code_.size(), label});
    code_.push_back(BPF_STMT(BPF_JMP | BPF_JA, 0));
  }
  void JumpUnlessEqual(uint32_t value, int label) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    Jump(label);
  }
  // Falls through if the argument, masked, is `value`; jumps to `miss` if not.
  void Match(int argument, uint64_t mask, uint64_t value, int miss) {
    for (const int shift : {0, 32}) {
      const auto half = static_cast<uint32_t>(mask >> shift);
      if (half == 0) continue;
      AppendLoad(code_, offsetof(seccomp_data, args) + 8 * argument + shift / 8);
      if (half != UINT32_MAX) code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, half));
      JumpUnlessEqual(static_cast<uint32_t>((value & mask) >> shift), miss);
    }
  }
  BpfCode& code() { return code_; }

  BpfCode Finish() {
    for (const auto& [at, label] : jumps_) {
      code_[at].k = static_cast<uint32_t>(targets_[label] - at - 1);
    }
    return std::move(code_);
  }

 private:
  struct PendingJump {
    size_t at;
    int label;
  };
  BpfCode code_;
  std::vector<size_t> targets_;
  std::vector<PendingJump> jumps_;
};

// Falls through if the test holds.
void AppendTest(Assembler& block, const ArgumentTest& test, int leave) {
  const uint64_t mask = MaskOf(test);
  if (test.comparison == Comparison::kEqual || test.comparison == Comparison::kMaskedEqual) {
    block.Match(test.argument, mask, test.value, leave);
    return;
  }
  const bool wanted = test.comparison == Comparison::kOneOf;
  const int holds = block.NewLabel();
  for (const uint64_t value : test.values) {
    const int miss = block.NewLabel();
    block.Match(test.argument, mask, value, miss);
    block.Jump(wanted ? holds : leave);
    block.Bind(miss);
  }
  if (wanted) block.Jump(leave);
  block.Bind(holds);
}

}  // namespace

void AppendLoad(BpfCode& code, size_t offset) {
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
}

void AppendReturn(BpfCode& code, uint32_t answer) {
  code.push_back(BPF_STMT(BPF_RET | BPF_K, answer));
}

uint64_t MaskOf(const ArgumentTest& test) {
  const uint64_t width = test.low_32_bits ? UINT32_MAX : UINT64_MAX;
  return test.comparison == Comparison::kMaskedEqual ? test.mask & width : width;
}

void AppendBlock(BpfCode& code, int number, absl::Span<const ArgumentTest> tests, uint32_t answer) {
  Assembler block;
  const int leave = block.NewLabel();
  AppendLoad(block.code(), offsetof(seccomp_data, nr));
  block.JumpUnlessEqual(static_cast<uint32_t>(number), leave);
  for (const ArgumentTest& test : tests) AppendTest(block, test, leave);
  AppendReturn(block.code(), answer);
  block.Bind(leave);
  const BpfCode done = block.Finish();
  code.insert(code.end(), done.begin(), done.end());
}

}  // namespace cellblock
