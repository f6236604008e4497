// The policies of one folder, each parsed and its syscall filter compiled. Immutable.
#ifndef CELLBLOCK_DAEMON_SESSION_POLICY_CATALOG_H_
#define CELLBLOCK_DAEMON_SESSION_POLICY_CATALOG_H_

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "sandbox/spec/policy.h"

namespace cellblock {

struct CompiledPolicy {
  Policy policy;
  std::string seccomp_program;  // SeccompProgram::bytes()
  // For hosts that do not enforce memory: refuses what only the memory controller would count.
  std::string seccomp_without_memfd;

  const std::string& filter(bool memory_enforced) const {
    return memory_enforced ? seccomp_program : seccomp_without_memfd;
  }
};

class PolicyCatalog {
 public:
  // Every *.textproto and *.json in `folder`. Fails on the first that is wrong, has a lint or is
  // above `ceiling` (zero fields: none), on two of one name, and if there is none.
  static absl::StatusOr<PolicyCatalog> Load(const std::string& folder, const Limits& ceiling = {});
  explicit PolicyCatalog(std::map<std::string, CompiledPolicy> policies)
      : policies_(std::move(policies)) {}

  const CompiledPolicy* Find(const std::string& name) const;
  const std::map<std::string, CompiledPolicy>& all() const { return policies_; }

 private:
  std::map<std::string, CompiledPolicy> policies_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_POLICY_CATALOG_H_
