#include "tools/cli/policy/named_policy.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/compiler.h"
#include "sandbox/seccomp/evaluator.h"
#include "sandbox/spec/load_policy.h"
#include "sandbox/spec/policy_file.h"
#include "sandbox/spec/policy_lints.h"

namespace cellblock::cli {
namespace {

bool IsFileName(const std::string& name) {
  return name.find('/') != std::string::npos || absl::EndsWith(name, ".textproto") ||
         absl::EndsWith(name, ".json");
}

absl::StatusOr<std::string> PathOf(const std::string& name) {
  if (IsFileName(name)) return name;
  CELLBLOCK_ASSIGN_OR_RETURN(const PolicySource source,
                             FindPolicyFile(name, {InstalledPolicies()}));
  return source.file;
}

// What only the compiled filter shows.
absl::StatusOr<CompiledPolicy> Compile(Policy policy) {
  CELLBLOCK_ASSIGN_OR_RETURN(SeccompProgram program, CompileSeccomp(policy));
  CELLBLOCK_RETURN_IF_ERROR(CheckSeccompFloor(program));
  return CompiledPolicy{std::move(policy), std::move(program)};
}

}  // namespace

std::string InstalledPolicies() {
  const char* given = std::getenv("CELLBLOCK_POLICY_DIR");
  if (given != nullptr && *given != '\0') return given;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "share/cellblock/policies";
}

absl::StatusOr<PolicyReview> ReviewPolicy(const std::string& name, const Limits& ceiling) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string path, PathOf(name));
  PolicyReview review;
  absl::StatusOr<Policy> policy = LoadPolicy(path, {InstalledPolicies()}, &review.findings);
  if (!policy.ok() && review.findings.empty()) return policy.status();
  if (!policy.ok()) return review;
  LintPolicy(*policy, &review.findings);
  LintCeiling(*policy, ceiling, &review.findings);
  if (!review.findings.empty()) return review;
  absl::StatusOr<CompiledPolicy> compiled = Compile(*std::move(policy));
  if (compiled.ok()) {
    review.compiled = *std::move(compiled);
  } else {
    review.findings.push_back({{path, 0}, "syscalls", std::string(compiled.status().message())});
  }
  return review;
}

absl::StatusOr<CompiledPolicy> OpenPolicy(const std::string& name) {
  CELLBLOCK_ASSIGN_OR_RETURN(PolicyReview review, ReviewPolicy(name));
  if (review.compiled) return *std::move(review.compiled);
  std::string text;
  for (const PolicyFinding& finding : review.findings) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", finding.ToString());
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace cellblock::cli
