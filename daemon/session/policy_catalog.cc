#include "daemon/session/policy_catalog.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/compiler.h"
#include "sandbox/spec/policy_lints.h"

namespace cellblock {

absl::StatusOr<PolicyCatalog> PolicyCatalog::Load(const std::string& folder,
                                                  const Limits& ceiling) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension();
    if (extension == ".textproto" || extension == ".json") files.push_back(entry.path());
  }
  if (error) return ErrnoStatus("read policy folder", folder, error.value());
  if (files.empty()) {
    return absl::NotFoundError(
        absl::StrCat("policy folder ", folder, " has no *.textproto and no *.json"));
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, CompiledPolicy> policies;
  for (const std::string& file : files) {
    CELLBLOCK_ASSIGN_OR_RETURN(Policy policy, Policy::Load(file));
    std::vector<PolicyFinding> findings;
    LintPolicy(policy, &findings);
    LintCeiling(policy, ceiling, &findings);
    CELLBLOCK_RETURN_IF_ERROR(FirstOf(findings));
    CELLBLOCK_ASSIGN_OR_RETURN(const SeccompProgram program, CompileSeccomp(policy));
    CELLBLOCK_ASSIGN_OR_RETURN(const SeccompProgram without_memfd,
                               CompileSeccomp(policy, {.refuse_memfd = true}));
    const std::string name = policy.name();
    CompiledPolicy compiled{std::move(policy), program.bytes(), without_memfd.bytes()};
    if (!policies.emplace(name, std::move(compiled)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": a policy named \"", name, "\" is in another file already"));
    }
  }
  return PolicyCatalog(std::move(policies));
}

const CompiledPolicy* PolicyCatalog::Find(const std::string& name) const {
  const auto found = policies_.find(name);
  return found == policies_.end() ? nullptr : &found->second;
}

}  // namespace cellblock
