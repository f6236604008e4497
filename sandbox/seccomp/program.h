// A compiled seccomp filter: classic BPF instructions and their digest. A value.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_PROGRAM_H_
#define CELLBLOCK_SANDBOX_SECCOMP_PROGRAM_H_

#include <linux/filter.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cellblock {

class SeccompProgram {
 public:
  // `bytes` is an array of struct sock_filter. INVALID_ARGUMENT if it is empty, not a whole number
  // of instructions, or longer than the kernel takes (BPF_MAXINSNS).
  static absl::StatusOr<SeccompProgram> FromBytes(absl::string_view bytes);

  absl::Span<const sock_filter> instructions() const { return instructions_; }
  std::string bytes() const;

 private:
  std::vector<sock_filter> instructions_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_PROGRAM_H_
