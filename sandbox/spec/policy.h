// Policy: what a session may do, as validated values. Immutable once built; a Policy exists only if
// every check passed. The schema and its meaning are in proto/cellblock/v1/policy.proto.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

struct ArgumentTest {
  enum class Comparison { kEqual, kMaskedEqual, kOneOf, kNoneOf };
  int argument = 0;  // 0 to 5
  Comparison comparison = Comparison::kEqual;
  uint64_t value = 0;
  uint64_t mask = 0;
  std::vector<uint64_t> values;
  bool low_32_bits = false;
  std::string symbol;
};

struct SyscallRule {
  enum class Action { kAllow, kDeny, kNotAvailable };
  std::string reason;
  std::vector<std::string> calls;  // groups are already expanded
  std::string group;               // the group they came from, or ""
  std::vector<ArgumentTest> when;
  Action action = Action::kAllow;
};

class Policy {
 public:
  // Parses and validates text format. `file` names the source in errors, which are
  // INVALID_ARGUMENT and say file, line (where the parser knows it) and field.
  static absl::StatusOr<Policy> Parse(absl::string_view text, absl::string_view file);
  // Reads the file; NOT_FOUND if there is none.
  static absl::StatusOr<Policy> Load(const std::string& path);

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& digest() const { return digest_; }  // SHA-256 of the message, hex
  const Limits& limits() const { return limits_; }
  const OutputCaps& output() const { return output_; }
  bool executable_work_dir() const { return executable_work_dir_; }
  const std::vector<SyscallRule>& syscall_rules() const { return syscall_rules_; }

 private:
  Policy() = default;
  std::string name_, description_, digest_;
  Limits limits_;
  OutputCaps output_;
  bool executable_work_dir_ = false;
  std::vector<SyscallRule> syscall_rules_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_H_
