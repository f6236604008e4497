// Policies as JSON: the same message, the same errors with the same places.
#include "sandbox/spec/policy.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

constexpr char kJson[] = R"({
  "name": "test",
  "limits": {
    "memoryBytes": "1000000",
    "pids": 10,
    "diskBytes": 1000000, "diskInodes": 100,
    "shm_bytes": 4096,
    "openFiles": 16, "fileSizeBytes": 1000000, "stackBytes": 100000,
    "maxCellTime": "1s", "interruptGrace": "1s"
  },
  "output": {"keepHeadBytes": 1, "keepTailBytes": 1, "maxEvents": 1},
  "syscalls": {
    "rules": [
      {"reason": "a", "calls": ["read", "write"]},
      {"reason": "b {[\"", "calls": ["ioctl"],
       "when": [{"argument": 1, "comparison": "EQUAL", "names": ["FIONREAD"]}]}
    ]
  }
})";

std::string With(const std::string& from, const std::string& to) {
  std::string text = kJson;
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("JSON means what text format means") {
  const auto policy = Policy::Parse(kJson, "F");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  const auto text =
      Policy::Parse(PolicyWithRules("rules { reason: 'a' calls: 'read' calls: 'write' }"
                                    "rules { reason: 'b {[\"' calls: 'ioctl'"
                                    " when { argument: 1 comparison: EQUAL names: 'FIONREAD' } }"),
                    "G");
  REQUIRE(text.ok());
  CHECK(policy->digest() == text->digest());
  REQUIRE(policy->syscall_rules().size() == 2);
  CHECK(policy->syscall_rules()[0].place.ToString() == "F:14");
  CHECK(policy->syscall_rules()[1].place.ToString() == "F:15");
  CHECK(policy->PlaceOf("limits.disk_inodes").ToString() == "F:6");
}

TEST_CASE("wrong JSON is told by line and field") {
  struct Case {
    std::string text, place, says;
  };
  for (const Case& wrong : std::vector<Case>{
           {With("\"pids\": 10", "\"pids\": 0"), "F:5: limits.pids: ", "more than 0"},
           {With("\"pids\": 10", "\"pids\": \"ten\""), "F:5: limits.pids: ", "ten"},
           {With("\"pids\": 10", "\"pids\": 10, \"pids\": 11"), "F:5: limits.pids: ", "twice"},
           {With("\"pids\": 10", "\"nope\": 10"), "F:5: limits.nope: ", "nope"},
           {With("\"b {[\\\"\"", "\"\""), "F:15: syscalls.rules[1].reason: ", "empty"},
           {With("\"write\"", "\"rwite\""), "F:14: syscalls.rules[0].calls[1]: ", "rwite"},
           {With("FIONREAD", "FIONRAED"), "F:16: syscalls.rules[1].when[0].names[0]: ", "FIONRAED"},
           {"{", "F:1: ", ""},
           {"{\"name\": \"x", "F:1: ", "closed"},
           {"{\"name\": \"x\n\"}", "F:1: ", "closed"},
           {"{\"name\" \"x\"}", "F", ""},
           {"{]", "F:1: ", "brackets"},
           {"{}}", "F:1: ", "brackets"},
           {"{},", "F:1: ", "comma"},
           {std::string("{\"name\": \"\xff\"}"), "F:1: ", "UTF-8"},
           {"{\"limits\": 5}", "F:1: limits: ", ""},
           {"{\"limits\": null}", "F: name: ", ""},
           {std::string(100000, '{'), "F:1: ", "nested"},
           {"{\"a\":" + std::string(100000, '[') + "}", "F:1: ", "nested"}}) {
    const absl::Status status = Policy::Parse(wrong.text, "F").status();
    const std::string message(status.message());
    CAPTURE(wrong.text.substr(0, 800), message);
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(message.rfind(wrong.place, 0) == 0);
    CHECK(message.find(wrong.says) != std::string::npos);
  }
}

}  // namespace
}  // namespace cellblock
