#include "sandbox/spec/policy.h"

#include "sandbox/spec/policy_lints.h"
#include "sandbox/spec/syscall_groups.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

TEST_CASE("a policy without rules is right, and has none") {
  const absl::StatusOr<Policy> policy = Policy::Parse(kMinimalPolicy, "test");
  REQUIRE(policy.ok());
  CHECK(policy->name() == "test");
  CHECK(policy->syscall_rules().empty());
  CHECK_FALSE(policy->executable_work_dir());
  CHECK(policy->limits().memory_bytes == 1000000);
  CHECK(policy->limits().cpu_weight == 100);  // 0 stands for it
  CHECK(policy->limits().max_cell_time == absl::Seconds(1));
  CHECK(policy->limits().max_cell_cpu == absl::ZeroDuration());
  CHECK(policy->output().keep_head_bytes == 1);
}

TEST_CASE("rules keep their order, reasons and tests; groups are expanded") {
  const absl::StatusOr<Policy> policy =
      Policy::Parse(PolicyWithRules("rules { reason: 'a' group: '@sync' }"
                                    "rules { reason: 'b' calls: 'ioctl' calls: 'fcntl' action: DENY"
                                    " when { argument: 1 comparison: ONE_OF values: 1 values: 2"
                                    " low_32_bits: true symbol: 's' } }"),
                    "test");
  REQUIRE(policy.ok());
  REQUIRE(policy->syscall_rules().size() == 2);
  const SyscallRule& group = policy->syscall_rules()[0];
  CHECK(group.group == "@sync");
  CHECK(group.calls.size() == FindSyscallGroup("@sync")->calls.size());
  const SyscallRule& rule = policy->syscall_rules()[1];
  CHECK(rule.reason == "b");
  CHECK(rule.calls == std::vector<std::string>{"ioctl", "fcntl"});
  CHECK(rule.action == SyscallRule::Action::kDeny);
  REQUIRE(rule.when.size() == 1);
  CHECK(rule.when[0].argument == 1);
  CHECK(rule.when[0].values == std::vector<uint64_t>{1, 2});
  CHECK(rule.when[0].low_32_bits);
  CHECK(rule.when[0].symbol == "s");
}

TEST_CASE("the digest is of the meaning, not of the spelling") {
  const std::string digest = Policy::Parse(kMinimalPolicy, "a")->digest();
  CHECK(digest.size() == 64);
  CHECK(Policy::Parse(std::string("# a comment\n") + kMinimalPolicy, "b")->digest() == digest);
  CHECK(Policy::Parse(PolicyWith("pids: 10", "pids: 11"), "c")->digest() != digest);
}

TEST_CASE("the default policy loads") {
  const absl::StatusOr<Policy> policy = Policy::Load(POLICY_DIR "/python.textproto");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  CHECK(policy->name() == "python");
  CHECK(policy->limits().memory_bytes == int64_t{2} << 30);
  CHECK(policy->limits().max_cell_time == absl::Minutes(10));
  std::vector<PolicyFinding> findings;
  LintPolicy(*policy, &findings);
  CHECK(FirstOf(findings) == absl::OkStatus());
}

TEST_CASE("a file that is not there is NOT_FOUND and named") {
  const absl::Status status = Policy::Load("/nowhere/none.textproto").status();
  CHECK(status.code() == absl::StatusCode::kNotFound);
  CHECK(std::string(status.message()).find("/nowhere/none.textproto") != std::string::npos);
}

}  // namespace
}  // namespace cellblock
