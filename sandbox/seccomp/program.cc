#include "sandbox/seccomp/program.h"

#include <linux/bpf_common.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace cellblock {

absl::StatusOr<SeccompProgram> SeccompProgram::FromBytes(absl::string_view bytes) {
  if (bytes.empty() || bytes.size() % sizeof(sock_filter) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a filter of ", bytes.size(), " bytes is not a whole number of instructions"));
  }
  if (bytes.size() / sizeof(sock_filter) > BPF_MAXINSNS) {
    return absl::InvalidArgumentError(
        absl::StrCat("a filter may have at most ", BPF_MAXINSNS, " instructions"));
  }
  SeccompProgram program;
  program.instructions_.resize(bytes.size() / sizeof(sock_filter));
  memcpy(program.instructions_.data(), bytes.data(), bytes.size());
  return program;
}

std::string SeccompProgram::bytes() const {
  return std::string(reinterpret_cast<const char*>(instructions_.data()),
                     instructions_.size() * sizeof(sock_filter));
}

}  // namespace cellblock
