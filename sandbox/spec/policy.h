// Policy: what a session may do, as validated values. Immutable once built; a Policy exists only if
// every check passed. The schema and its meaning are in proto/cellblock/v1/policy.proto.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/spec/field_places.h"
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
  bool dangerous = false;  // stands in `dangerous`
  std::string field;       // "syscalls.rules[3]"
  SourcePlace place;       // where it is written
};

// "10.20.0.0/16", and why.
struct PrivateNetwork {
  std::string reason;
  std::string range;
  SourcePlace place;
};

struct AllowedHost {
  std::string reason;
  std::string host;  // "pypi.org:443", "*.example.com:443"
  SourcePlace place;
};

struct ReadOnlyBind {
  std::string reason;
  std::string name;  // of the operator's list
  SourcePlace place;
};

struct EnvironmentVariable {
  std::string name;
  std::string value;
  SourcePlace place;
};

class Policy {
 public:
  // Text format or JSON of one policy that extends none. `file` names the source in errors, which
  // are INVALID_ARGUMENT and say file, line (where there is one) and field.
  static absl::StatusOr<Policy> Parse(absl::string_view text, absl::string_view file);
  // Reads the file and what it extends, from the same folder; NOT_FOUND if there is none.
  static absl::StatusOr<Policy> Load(const std::string& path);

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& digest() const { return digest_; }  // SHA-256 of the resolved message, hex
  const Limits& limits() const { return limits_; }
  const OutputCaps& output() const { return output_; }
  bool executable_work_dir() const { return executable_work_dir_; }
  // Those of `dangerous` last.
  const std::vector<SyscallRule>& syscall_rules() const { return syscall_rules_; }
  const std::vector<AllowedHost>& allowed_hosts() const { return allowed_hosts_; }
  const std::vector<PrivateNetwork>& private_networks() const { return private_networks_; }
  const std::vector<ReadOnlyBind>& read_only_binds() const { return read_only_binds_; }
  const std::vector<EnvironmentVariable>& environment() const { return environment_; }
  const std::string& time_zone() const { return time_zone_; }  // "" = none asked for

  // The files that it is made of, from the base to the policy itself.
  const std::vector<std::string>& files() const { return files_; }
  // Where a field such as "limits.pids" stands; no line if nowhere.
  SourcePlace PlaceOf(absl::string_view field) const { return places_.Find(field); }
  bool IsSet(const std::string& field) const { return places_.Has(field); }

 private:
  friend class PolicyBuilder;
  Policy() : places_("") {}
  std::string name_, description_, digest_;
  Limits limits_;
  OutputCaps output_;
  bool executable_work_dir_ = false;
  std::vector<SyscallRule> syscall_rules_;
  std::vector<AllowedHost> allowed_hosts_;
  std::vector<PrivateNetwork> private_networks_;
  std::vector<ReadOnlyBind> read_only_binds_;
  std::vector<EnvironmentVariable> environment_;
  std::string time_zone_;
  std::vector<std::string> files_;
  FieldPlaces places_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_H_
