// Every policy that is shipped, compiled: the answers that its table in policies/tests asks for, a
// line of the table for each of its rules, the floor, and no lint.
#include <filesystem>

#include "sandbox/seccomp/verdict_table.h"
#include "sandbox/spec/policy_lints.h"
#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

SeccompProgram CompileFile(const std::string& path, const CompileOptions& options = {}) {
  const absl::StatusOr<Policy> policy = Policy::Load(path);
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  return *CompileSeccomp(*policy, options);
}

std::vector<std::string> ShippedPolicies() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(POLICY_DIR)) {
    if (entry.path().extension() == ".textproto") names.push_back(entry.path().stem());
  }
  return names;
}

TEST_CASE("shipped policies answer as their verdict tables say, rule by rule") {
  const std::vector<std::string> names = ShippedPolicies();
  CHECK(names.size() >= 5);
  for (const std::string& name : names) {
    CAPTURE(name);
    const std::string path = std::string(POLICY_DIR) + "/" + name + ".textproto";
    const Policy policy = *Policy::Load(path);
    const auto table = LoadVerdictTable(std::string(POLICY_DIR) + "/tests/" + name + ".verdicts");
    INFO(table.status().ToString());
    REQUIRE(table.ok());
    CHECK(table->size() > 50);
    CHECK(CheckVerdicts(CompileFile(path), *table)->empty());
    std::vector<std::string> uncovered;
    for (const SyscallRule* rule : UncoveredRules(policy, *table)) {
      uncovered.push_back(rule->place.ToString());
    }
    CHECK(uncovered == std::vector<std::string>{});
    // The rules say of each line what the filter says.
    for (const VerdictLine& line : *table) {
      CAPTURE(line.text);
      CHECK(Decide(policy, line.call).verdict == line.wanted);
    }
  }
}

TEST_CASE("shipped policies have no lint and stand on the floor, with and without memfd") {
  for (const std::string& name : ShippedPolicies()) {
    CAPTURE(name);
    const std::string path = std::string(POLICY_DIR) + "/" + name + ".textproto";
    std::vector<PolicyFinding> findings;
    LintPolicy(*Policy::Load(path), &findings);
    CHECK(FirstOf(findings) == absl::OkStatus());
    CHECK(CheckSeccompFloor(CompileFile(path)).ok());
    const SeccompProgram strict = CompileFile(path, {.refuse_memfd = true});
    CHECK(CheckSeccompFloor(strict).ok());
    CHECK(Answer(strict, "memfd_create") == kSaysEperm);
    CHECK(Answer(strict, "mmap") == kAllowed);
  }
}

TEST_CASE("the default policy's table is a long one") {
  CHECK(LoadVerdictTable(POLICY_DIR "/tests/python.verdicts")->size() > 200);
}

}  // namespace
}  // namespace cellblock
