// Constants by name in argument tests.
#include <linux/sched.h>

#include "sandbox/spec/argument_names.h"
#include "sandbox/spec/policy.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

absl::StatusOr<Policy> WithTest(const std::string& calls, const std::string& test) {
  return Policy::Parse(PolicyWithRules("rules { reason: 'r' " + calls + " when { " + test + " } }"),
                       "F");
}

TEST_CASE("names stand for the kernel's numbers, in the low 32 bits") {
  auto policy = WithTest("calls: 'socket' calls: 'socketpair'",
                         "argument: 0 comparison: ONE_OF names: 'AF_UNIX' names: 'AF_INET6'");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  const ArgumentTest families = policy->syscall_rules()[0].when[0];
  CHECK(families.values == std::vector<uint64_t>{1, 10});
  CHECK(families.low_32_bits);
  CHECK(families.symbol == "AF_UNIX, AF_INET6");

  policy =
      WithTest("calls: 'ioctl'", "argument: 1 comparison: EQUAL names: 'FIONREAD' symbol: 's'");
  REQUIRE(policy.ok());
  CHECK(policy->syscall_rules()[0].when[0].value == 0x541b);
  CHECK(policy->syscall_rules()[0].when[0].symbol == "s");

  policy = WithTest("calls: 'clone'",
                    "argument: 0 comparison: MASKED_EQUAL"
                    " mask_names: 'CLONE_NEWUSER' mask_names: 'CLONE_NEWNET'");
  REQUIRE(policy.ok());
  const ArgumentTest flags = policy->syscall_rules()[0].when[0];
  CHECK(flags.mask == (CLONE_NEWUSER | CLONE_NEWNET));
  CHECK(flags.value == 0);

  policy = WithTest("calls: 'prctl'", "argument: 0 comparison: NONE_OF names: 'PR_SET_MM'");
  REQUIRE(policy.ok());
  CHECK(policy->syscall_rules()[0].when[0].values == std::vector<uint64_t>{35});
}

TEST_CASE("the digest is that of the numbers") {
  const auto by_name =
      WithTest("calls: 'ioctl'", "argument: 1 comparison: EQUAL names: 'FIONREAD' symbol: 's'");
  const auto by_number = WithTest("calls: 'ioctl'",
                                  "argument: 1 comparison: EQUAL value: 0x541b"
                                  " low_32_bits: true symbol: 's'");
  CHECK(by_name->digest() == by_number->digest());
}

TEST_CASE("names in the wrong place are told where they belong") {
  struct Case {
    const char *calls, *test, *field, *says;
  };
  for (const Case& wrong : std::vector<Case>{
           {"calls: 'ioctl'", "argument: 1 comparison: EQUAL names: 'AF_INET'", "names[0]",
            "AF_INET belongs to socket argument 0, not to ioctl argument 1"},
           {"calls: 'ioctl'", "argument: 0 comparison: EQUAL names: 'FIONREAD'", "names[0]",
            "ioctl argument 1"},
           {"calls: 'ioctl'", "argument: 1 comparison: EQUAL names: 'FIO\\n'", "names[0]",
            "no constant is known as FIO\\n"},
           {"calls: 'ioctl' calls: 'fcntl'", "argument: 1 comparison: EQUAL names: 'FIONREAD'",
            "names[0]", "not to fcntl"},
           {"group: '@sync'", "argument: 1 comparison: EQUAL names: 'FIONREAD'", "names[0]",
            "group"},
           {"calls: 'ioctl'", "argument: 1 comparison: EQUAL names: 'FIONREAD' names: 'FIONBIO'",
            "names", "ONE_OF"},
           {"calls: 'ioctl'", "argument: 1 comparison: EQUAL value: 3 names: 'FIONREAD'", "names",
            "beside"},
           {"calls: 'ioctl'", "argument: 1 comparison: ONE_OF values: 3 names: 'FIONREAD'", "names",
            "beside"},
           {"calls: 'clone'", "argument: 0 comparison: MASKED_EQUAL mask: 1 mask_names: 'CLONE_VM'",
            "mask_names", "beside"},
           {"calls: 'clone'", "argument: 0 comparison: EQUAL mask_names: 'CLONE_VM'", "mask",
            "MASKED_EQUAL"}}) {
    const std::string message(WithTest(wrong.calls, wrong.test).status().message());
    CAPTURE(wrong.test, message);
    CHECK(message.rfind(std::string("F:20: syscalls.rules[0].when[0].") + wrong.field, 0) == 0);
    CHECK(message.find(wrong.says) != std::string::npos);
  }
}

TEST_CASE("numbers are shown by name") {
  CHECK(NameOfValue(FamilyOf("socket", 0), 16) == "AF_NETLINK");
  CHECK(NameOfValue(FamilyOf("ioctl", 1), 0x5412) == "TIOCSTI");
  CHECK(NameOfValue(FamilyOf("ioctl", 1), 0xae01) == "0xae01");
  CHECK(NameOfValue(FamilyOf("clone", 0), CLONE_VM | CLONE_FS | 17) == "CLONE_VM|CLONE_FS|0x11");
  CHECK(FamilyOf("read", 0) == nullptr);
  CHECK(NameOfValue(nullptr, 3) == "3");
}

}  // namespace
}  // namespace cellblock
