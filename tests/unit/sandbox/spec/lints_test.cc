// What a policy may not be although each of its rules is right.
#include <map>

#include "sandbox/spec/load_policy.h"
#include "sandbox/spec/policy_lints.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

std::vector<std::string> LintsOf(const absl::StatusOr<Policy>& policy) {
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  std::vector<PolicyFinding> findings;
  LintPolicy(*policy, &findings);
  std::vector<std::string> texts;
  for (const PolicyFinding& finding : findings) texts.push_back(finding.ToString());
  return texts;
}

std::vector<std::string> LintsOf(const std::string& rules) {
  return LintsOf(Policy::Parse(PolicyWithRules(rules), "F"));
}

std::vector<std::string> LintsOfText(const std::string& text) {
  return LintsOf(Policy::Parse(kMinimalPolicy + text, "F"));
}

std::vector<std::string> LintsOfHosts(const std::string& hosts, const std::string& more = "") {
  return LintsOfText("network { " + hosts + "}\n" + more);
}

void CheckOne(const std::vector<std::string>& lints, const std::string& place,
              const std::string& says) {
  CAPTURE(lints, place, says);
  REQUIRE(lints.size() == 1);
  CHECK(lints[0].rfind(place, 0) == 0);
  CHECK(lints[0].find(says) != std::string::npos);
}

const char kRead[] = "rules { reason: 'r' calls: 'read' }\n";

std::string Ioctl(const std::string& test, const std::string& action = "ALLOW") {
  return "rules { reason: 'r' calls: 'ioctl' action: " + action + " when { argument: 1 " + test +
         " } }\n";
}

TEST_CASE("rules that do not get in each other's way") {
  CHECK(LintsOf(kRead).empty());
  CHECK(LintsOf("rules { reason: 'r' group: '@file-system' }"
                "rules { reason: 'r' calls: 'sync' action: DENY }")
            .empty());
  CHECK(LintsOf(Ioctl("comparison: ONE_OF names: 'FIONREAD' names: 'FIONBIO'") +
                Ioctl("comparison: EQUAL names: 'FIOCLEX'") +
                Ioctl("comparison: EQUAL names: 'FIONBIO'", "DENY"))
            .empty());
}

TEST_CASE("rules that add nothing") {
  CheckOne(LintsOf(std::string(kRead) + kRead),
           "F:21: syscalls.rules[1].calls[0]: ", "read is decided by F:20 already");
  CheckOne(LintsOf("rules { reason: 'r' calls: 'read' calls: 'write' calls: 'read' }"),
           "F:20: syscalls.rules[0].calls[2]: ", "twice");
  CheckOne(LintsOf("rules { reason: 'r' group: '@sync' }\nrules { reason: 'r' calls: 'futex' }"),
           "F:21: syscalls.rules[1].calls[0]: ", "F:20");
  CheckOne(LintsOf("rules { reason: 'r' calls: 'futex' }\nrules { reason: 'r' group: '@sync' }"),
           "F:20: syscalls.rules[0].calls[0]: ", "F:21");
  CheckOne(LintsOf("rules { reason: 'r' group: '@sync' }\nrules { reason: 'r' group: '@sync' }"),
           "F:21: syscalls.rules[1].group: ", "F:20");
  CheckOne(LintsOf(Ioctl("comparison: ONE_OF names: 'FIONREAD' names: 'FIONBIO'") +
                   Ioctl("comparison: EQUAL names: 'FIONBIO'")),
           "F:21: syscalls.rules[1].calls[0]: ", "F:20");
  CheckOne(LintsOf("rules { reason: 'r' calls: 'mseal' action: NOT_AVAILABLE }\n"
                   "rules { reason: 'r' calls: 'mseal' action: DENY }"),
           "F:21: syscalls.rules[1].calls[0]: ", "F:20");
}

TEST_CASE("rules that contradict each other, or themselves") {
  CheckOne(LintsOf(std::string(kRead) + "rules { reason: 'r' calls: 'read' action: DENY }"),
           "F:20: syscalls.rules[0].calls[0]: ", "refused by F:21");
  CheckOne(LintsOf("rules { reason: 'r' group: '@sync' }\n"
                   "rules { reason: 'r' group: '@sync' action: NOT_AVAILABLE }"),
           "F:20: syscalls.rules[0].group: ", "refused by F:21");
  CheckOne(
      LintsOf("rules { reason: 'r' calls: 'kill' when { argument: 1 comparison: EQUAL value: 9 }"
              " when { argument: 1 comparison: NONE_OF values: 9 low_32_bits: true } }"),
      "F:20: syscalls.rules[0]: ", "never matches");
  CheckOne(LintsOf("rules { reason: 'r' calls: 'kill'"
                   " when { argument: 1 comparison: MASKED_EQUAL mask: 3 value: 1 }"
                   " when { argument: 1 comparison: MASKED_EQUAL mask: 1 value: 0 } }"),
           "F:20: syscalls.rules[0]: ", "never matches");
}

TEST_CASE("a policy that extends may narrow and widen, and not say things twice") {
  const std::map<std::string, std::string> files = {
      {"test", PolicyWithRules("rules { reason: 'r' calls: 'futex' }\n"
                               "rules { reason: 'r' calls: 'sync' action: DENY }")},
      {"narrow",
       "name: 'narrow' extends: 'test'\n"
       "syscalls { rules { reason: 'r' calls: 'futex' action: DENY } }"},
      {"widen",
       "name: 'widen' extends: 'test'\n"
       "syscalls { rules { reason: 'r' group: '@sync' } }"},
      {"again",
       "name: 'again' extends: 'test'\n"
       "syscalls { rules { reason: 'r' calls: 'futex' } }"},
      {"undo",
       "name: 'undo' extends: 'test'\n"
       "syscalls { rules { reason: 'r' calls: 'sync' } }"}};
  const auto build = [&](const std::string& name) {
    std::vector<PolicyFinding> findings;
    return BuildPolicy(
        {files.at(name), name},
        [&](const std::string& wanted) -> absl::StatusOr<PolicySource> {
          return PolicySource{files.at(wanted), wanted};
        },
        &findings);
  };
  CHECK(LintsOf(build("narrow")).empty());
  CHECK(LintsOf(build("widen")).empty());
  CheckOne(LintsOf(build("again")), "again:2: syscalls.rules[2].calls[0]: ", "test:20 already");
  CheckOne(LintsOf(build("undo")), "undo:2: syscalls.rules[2].calls[0]: ", "refused by test:21");
}

TEST_CASE("dangers stand in `dangerous`, and nothing else does") {
  const std::string belongs = "belongs to dangerous.syscalls";
  CheckOne(LintsOf("rules { reason: 'r' calls: 'io_setup' }"),
           "F:20: syscalls.rules[0].calls[0]: ", belongs);
  CheckOne(LintsOf("rules { reason: 'r' group: '@aio' }"),
           "F:20: syscalls.rules[0].group: ", belongs);
  CheckOne(LintsOf("rules { reason: 'r' calls: 'mseal' }"), "F:20: ", belongs);
  CheckOne(LintsOf("rules { reason: 'r' calls: 'ioctl' }"), "F:20: ", "argument 1");
  CheckOne(LintsOf(Ioctl("comparison: NONE_OF names: 'TIOCSTI'")), "F:20: ", belongs);
  CheckOne(LintsOf(Ioctl("comparison: EQUAL names: 'TIOCSTI'")),
           "F:20: ", "ioctl with TIOCSTI is not among");
  CheckOne(LintsOf("rules { reason: 'r' calls: 'prctl' when { argument: 0 comparison: EQUAL "
                   "names: 'PR_SET_MM' } }"),
           "F:20: ", belongs);
  CheckOne(LintsOf("rules { reason: 'r' calls: 'ptrace' }"), "F:20: ", "no policy can allow it");
  CHECK(LintsOfText("dangerous { syscalls { reason: 'r' calls: 'mseal' } }").empty());
  CHECK(LintsOfText("dangerous { syscalls { reason: 'r' calls: 'ioctl' } }").empty());
  CheckOne(LintsOfText("dangerous { syscalls { reason: 'r' calls: 'read' } }"),
           "F:19: dangerous.syscalls[0]: ", "not dangerous");
  CheckOne(LintsOfText("dangerous { syscalls { reason: 'r' calls: 'bpf' } }"), "F:19: ", "floor");
  CheckOne(LintsOfText("dangerous { syscalls { reason: 'r' calls: 'mseal' action: DENY } }"),
           "F:19: ", "refuses");
}

TEST_CASE("a refusal that looks at 64 bits of an int is got around") {
  CheckOne(LintsOf(Ioctl("comparison: EQUAL value: 0x5412", "DENY")),
           "F:20: syscalls.rules[0].when[0]: ", "low_32_bits");
  CHECK(LintsOf(Ioctl("comparison: EQUAL value: 0x541b")).empty());
}

TEST_CASE("hosts and networks that add nothing") {
  const auto allow = [](const std::string& host) {
    return "allow { reason: 'r' host: '" + host + "' }\n";
  };
  CHECK(LintsOfHosts(allow("a.example.com:443") + allow("a.example.com:80")).empty());
  CheckOne(LintsOfHosts(allow("a.example.com:443") + allow("*.example.com:443")),
           "F:19: network.allow[0].host: ", "F:20");
  CheckOne(LintsOfHosts(allow("example.com:443") + allow("example.com:443")),
           "F:20: network.allow[1].host: ", "F:19");
  CheckOne(LintsOfText("dangerous { private_networks { reason: 'r' range: '10.0.0.0/8' } }"),
           "F:19: dangerous.private_networks[0]: ", "no host");
  CheckOne(LintsOfHosts(allow("db:5432"),
                        "dangerous { private_networks { reason: 'r' range: "
                        "'10.0.0.0/8' }\n private_networks { reason: 'r' range: "
                        "'10.1.0.0/16' } }"),
           "F:22: dangerous.private_networks[1].range: ", "10.0.0.0/8");
}

TEST_CASE("limits stay below the operator's ceiling") {
  const Policy policy = *Policy::Parse(kMinimalPolicy, "F");
  Limits ceiling;
  std::vector<PolicyFinding> findings;
  LintCeiling(policy, ceiling, &findings);
  CHECK(findings.empty());
  ceiling.memory_bytes = 999999;
  ceiling.cpu_millis = 1000;
  ceiling.pids = 10;
  LintCeiling(policy, ceiling, &findings);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].ToString() ==
        "F:3: limits.memory_bytes: 1000000 is more than the operator's ceiling of 999999");
  CHECK(findings[1].ToString().find("all is more than") != std::string::npos);
}

}  // namespace
}  // namespace cellblock
