// One input: policies, the first without a name, each other one after a line "%% NAME". The first
// is read, resolved, linted, compiled, held to the floor and asked about; whatever it says, it must
// end in a policy or in findings that name a place.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/seccomp/compiler.h"
#include "sandbox/seccomp/decision.h"
#include "sandbox/seccomp/disassemble.h"
#include "sandbox/seccomp/evaluator.h"
#include "sandbox/seccomp/verdict_table.h"
#include "sandbox/spec/load_policy.h"
#include "sandbox/spec/policy_lints.h"

namespace cellblock {
namespace {

constexpr char kMark[] = "%% ";

void Require(bool good) {
  if (!good) abort();
}

std::map<std::string, std::string> Split(absl::string_view input) {
  std::map<std::string, std::string> files;
  std::string name;
  for (absl::string_view line : absl::StrSplit(input, '\n')) {
    if (absl::ConsumePrefix(&line, kMark)) {
      name = std::string(line);
    } else {
      files[name] += std::string(line) + "\n";
    }
  }
  return files;
}

// The filter and the rules must say the same of a few calls.
void Ask(const Policy& policy) {
  const absl::StatusOr<SeccompProgram> program = CompileSeccomp(policy);
  if (!program.ok()) return;  // e.g. longer than the kernel takes
  CheckSeccompFloor(*program).IgnoreError();
  Require(!Disassemble(*program).empty());
  for (const SyscallRule& rule : policy.syscall_rules()) {
    const auto call = ParseCall({rule.calls.front()});
    if (!call.ok()) continue;  // of another architecture
    Require(*AskFilter(*program, *call) == Decide(policy, *call).verdict);
  }
}

void Load(absl::string_view input) {
  const std::map<std::string, std::string> files = Split(input);
  const auto find = [&](const std::string& name) -> absl::StatusOr<PolicySource> {
    const auto found = files.find(name);
    if (found == files.end()) return absl::NotFoundError("no such policy");
    return PolicySource{found->second, name};
  };
  std::vector<PolicyFinding> findings;
  const auto own = files.find("");
  const absl::StatusOr<Policy> policy =
      BuildPolicy({own != files.end() ? own->second : "", "own"}, find, &findings);
  Require(policy.ok() == findings.empty());
  Require(policy.ok() || absl::IsInvalidArgument(policy.status()));
  if (policy.ok()) {
    LintPolicy(*policy, &findings);
    Ask(*policy);
  }
  for (const PolicyFinding& finding : findings) {
    Require(!finding.place.file.empty() && finding.place.line >= 0 && !finding.what.empty());
  }
}

}  // namespace
}  // namespace cellblock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cellblock::Load(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
