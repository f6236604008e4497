// Hand-made BPF for what libseccomp cannot say: one block is "if the call is N and all tests hold,
// answer A; otherwise fall through". Conditional jumps reach 255 instructions only, so every way
// out of a block is an unconditional jump beside its test.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_BLOCK_H_
#define CELLBLOCK_SANDBOX_SECCOMP_BLOCK_H_

#include <linux/filter.h>

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

using BpfCode = std::vector<sock_filter>;

void AppendLoad(BpfCode& code, size_t offset);  // of a 32-bit word of struct seccomp_data
void AppendReturn(BpfCode& code, uint32_t answer);

// `number` is compared with the call's number; NONE_OF and repeated arguments are fine.
void AppendBlock(BpfCode& code, int number, absl::Span<const ArgumentTest> tests, uint32_t answer);

// The bits that a test looks at.
uint64_t MaskOf(const ArgumentTest& test);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_BLOCK_H_
