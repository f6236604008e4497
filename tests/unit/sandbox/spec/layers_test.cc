// extends and replace: what is added to, what may not be set twice, and where each field stands.
#include <map>

#include "sandbox/spec/load_policy.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

using Files = std::map<std::string, std::string>;

absl::StatusOr<Policy> Build(const Files& files, const std::string& name) {
  std::vector<PolicyFinding> findings;
  const auto find = [&](const std::string& wanted) -> absl::StatusOr<PolicySource> {
    const auto found = files.find(wanted);
    if (found == files.end()) return absl::NotFoundError("no policy " + wanted);
    return PolicySource{found->second, wanted};
  };
  return BuildPolicy({files.at(name), name}, find, &findings);
}

// "test" on line 1 and everything that a policy needs, with two rules on lines 20 and 21.
Files WithChild(const std::string& child) {
  return {{"test", PolicyWithRules("rules { reason: 'a' calls: 'read' }\n"
                                   "rules { reason: 'b' calls: 'write' }")},
          {"child", child}};
}

std::string ErrorOf(const Files& files, const std::string& name = "child") {
  const absl::Status status = Build(files, name).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST_CASE("a child has what its parent has, and adds") {
  const auto policy = Build(WithChild("name: 'child'\n"
                                      "extends: 'test'\n"
                                      "limits { cpu_millis: 500 }\n"
                                      "syscalls { rules { reason: 'c' calls: 'close' } }\n"),
                            "child");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  CHECK(policy->name() == "child");
  CHECK(policy->description().empty());
  CHECK(policy->limits().memory_bytes == 1000000);
  CHECK(policy->limits().cpu_millis == 500);
  REQUIRE(policy->syscall_rules().size() == 3);
  CHECK(policy->syscall_rules()[1].place.ToString() == "test:21");
  CHECK(policy->syscall_rules()[2].place.ToString() == "child:4");
  CHECK(policy->PlaceOf("limits.pids").ToString() == "test:4");
  CHECK(policy->PlaceOf("limits.cpu_millis").ToString() == "child:3");
  CHECK(policy->files() == std::vector<std::string>{"test", "child"});
}

TEST_CASE("a value that the parent has set needs `replace`") {
  const std::string error =
      ErrorOf(WithChild("name: 'child'\nextends: 'test'\n"
                        "limits {\n  pids: 20\n}\n"));
  CHECK(error.rfind("child:4: limits.pids: is set by test:4", 0) == 0);
  CHECK(error.find("replace: \"limits.pids\"") != std::string::npos);
  const auto replaced = Build(WithChild("name: 'child'\nextends: 'test' replace: 'limits.pids'\n"
                                        "limits { pids: 20 }\n"),
                              "child");
  REQUIRE(replaced.ok());
  CHECK(replaced->limits().pids == 20);
  CHECK(replaced->limits().memory_bytes == 1000000);
  CHECK(replaced->PlaceOf("limits.pids").ToString() == "child:3");
}

TEST_CASE("a part that is replaced is replaced whole") {
  const auto policy = Build(WithChild("name: 'child'\nextends: 'test' replace: 'syscalls'\n"
                                      "syscalls { rules { reason: 'c' calls: 'close' } }"),
                            "child");
  REQUIRE(policy.ok());
  REQUIRE(policy->syscall_rules().size() == 1);
  CHECK(policy->syscall_rules()[0].place.ToString() == "child:3");
  // By nothing: nothing is allowed then.
  const auto none =
      Build(WithChild("name: 'child' extends: 'test' replace: 'syscalls.rules'"), "child");
  REQUIRE(none.ok());
  CHECK(none->syscall_rules().empty());
  CHECK(ErrorOf(WithChild("name: 'child' extends: 'test' replace: 'limits'"))
            .rfind("child: limits.memory_bytes: must be more than 0", 0) == 0);
}

TEST_CASE("replace names what is there") {
  const std::string start = "name: 'child'\nextends: 'test'\n";
  CHECK(ErrorOf(WithChild(start + "replace: 'network'")).rfind("child:3: replace[0]: ", 0) == 0);
  for (const char* path : {"nothing", "", "limits.", "limits.pids.x", "syscalls.rules[0]", "name",
                           "extends", "replace", "limits.max_cell_time.seconds", "\\x01"}) {
    const std::string error = ErrorOf(WithChild(start + "replace: '" + path + "'"));
    CAPTURE(path, error);
    CHECK(error.find("no such part") != std::string::npos);
  }
  CHECK(ErrorOf(WithChild(start + "replace: 'limits.pids' replace: 'limits.pids'")).find("twice") !=
        std::string::npos);
  CHECK(ErrorOf({{"alone", std::string("replace: 'limits'\n") + kMinimalPolicy}}, "alone")
            .rfind("alone:1: replace[0]: ", 0) == 0);
}

TEST_CASE("layers add up, and places follow") {
  Files files = WithChild(
      "name: 'child' extends: 'test'\n"
      "syscalls { rules { reason: 'c' calls: 'close' } }");
  files["third"] =
      "name: 'third' extends: 'child' replace: 'limits.pids' limits { pids: 3 }\n\n"
      "syscalls { rules { reason: 'd' calls: 'ioctl'\n"
      " when { argument: 1 comparison: EQUAL value: 1 symbol: '\\t' } } }";
  CHECK(ErrorOf(files, "third").rfind("third:4: syscalls.rules[3].when[0].symbol: ", 0) == 0);
}

TEST_CASE("parents that are missing, misnamed, circular or too many") {
  CHECK(ErrorOf(WithChild("name: 'child'\nextends: 'nobody'")) ==
        "child:2: extends: no policy nobody");
  CHECK(ErrorOf(WithChild("name: 'child'\nextends: 'child'")).find("circle: child, child") !=
        std::string::npos);
  Files ring = {{"a", "name: 'a' extends: 'b'"},
                {"b", "name: 'b' extends: 'c'"},
                {"c", "name: 'c' extends: 'a'"}};
  CHECK(ErrorOf(ring, "a") == "c:1: extends: goes round in a circle: a, b, c, a");
  ring["c"] = "name: 'other'";
  CHECK(ErrorOf(ring, "a").rfind("c:1: name: must be \"c\"", 0) == 0);
  ring["c"] = "nonsense";
  CHECK(ErrorOf(ring, "a").rfind("c:1: ", 0) == 0);
  Files tower;
  for (int i = 0; i < 10; ++i) {
    const std::string name = "p" + std::to_string(i);
    tower[name] = "name: '" + name + "' extends: 'p" + std::to_string(i + 1) + "'";
  }
  CHECK(ErrorOf(tower, "p0").find("8 policies deep") != std::string::npos);
  CHECK(Policy::Parse("name: 'child' extends: 'test'", "F").status().message() ==
        "F:1: extends: needs a folder of policies: this one stands alone");
}

TEST_CASE("all that is wrong is found, not only the first") {
  std::vector<PolicyFinding> findings;
  const auto none = [](const std::string&) -> absl::StatusOr<PolicySource> {
    return absl::NotFoundError("");
  };
  const std::string text =
      PolicyWithRules("rules { calls: 'read' }\nrules { reason: 'r' calls: 'raed' }");
  CHECK_FALSE(BuildPolicy({text, "F"}, none, &findings).ok());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].field == "syscalls.rules[0].reason");
  CHECK(findings[1].place.line == 21);
}

}  // namespace
}  // namespace cellblock
