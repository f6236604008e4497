// Calls as people write them, verdict tables, and filters as text.
#include "sandbox/seccomp/decision.h"

#include <fstream>

#include "sandbox/seccomp/disassemble.h"
#include "sandbox/seccomp/verdict_table.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

TEST_CASE("calls are names or numbers, arguments numbers or constants") {
  CHECK(ParseCall({"read"})->number == 0);
  CHECK(ParseCall({"0"})->name == "read");
  CHECK(ParseCall({"1000"})->name == "");
  CHECK(ParseCall({"0x40000027"})->number == 0x40000027);
  CHECK(ParseCall({"mseal"})->number == 462);
  CHECK(ParseCall({"ioctl", "0", "FIONREAD"})->arguments[1] == 0x541b);
  CHECK(ParseCall({"clone", "CLONE_VM|CLONE_FS|17"})->arguments[0] == 0x311);
  CHECK(ParseCall({"read", "0xffffffffffffffff"})->arguments[0] == UINT64_MAX);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{},
                                             {""},
                                             {"raed"},
                                             {"-1"},
                                             {"0x100000000"},
                                             {"socketcall"},
                                             {"read", ""},
                                             {"read", "x"},
                                             {"read", "-1"},
                                             {"read", "1x"},
                                             {"read", "99999999999999999999"},
                                             {"read", "1|"},
                                             {"read", "FIONREAD"},
                                             {"read", "1", "2", "3", "4", "5", "6", "7"}}) {
    CHECK(ParseCall(wrong).status().code() == absl::StatusCode::kInvalidArgument);
  }
  CHECK(std::string(ParseCall({"socket", "FIONREAD"}).status().message()) ==
        "FIONREAD belongs to ioctl argument 1");
}

TEST_CASE("the rule that decides is the first that matches, refusals before") {
  const Policy policy = *Policy::Parse(
      PolicyWithRules("rules { reason: 'a' calls: 'ioctl' when { argument: 1 comparison: EQUAL "
                      "names: 'FIONREAD' } }\n"
                      "rules { reason: 'b' calls: 'ioctl' }\n"
                      "rules { reason: 'c' calls: 'ioctl' action: DENY when { argument: 1 "
                      "comparison: EQUAL names: 'TIOCSTI' } }"),
      "F");
  const auto decide = [&](const std::string& request) {
    return Decide(policy, *ParseCall({"ioctl", "0", request}));
  };
  CHECK(decide("FIONREAD").rule->reason == "a");
  CHECK(decide("FIONBIO").rule->reason == "b");
  CHECK(decide("TIOCSTI").rule->reason == "c");
  CHECK(decide("TIOCSTI").verdict == Verdict::kEperm);
  CHECK(Decide(policy, *ParseCall({"read"})).why == "no rule allows it");
  CHECK(Decide(policy, *ParseCall({"mount"})).why.find("floor") != std::string::npos);
  CHECK(Decide(policy, *ParseCall({"clone3"})).verdict == Verdict::kEnosys);
  CHECK(Decide(policy, *ParseCall({"mseal"})).verdict == Verdict::kEnosys);
}

void Write(const TempDir& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.path() + "/" + name) << text;
}

TEST_CASE("tables take over others and correct them") {
  const TempDir folder;
  Write(folder, "base", "read ALLOW # a comment\n\nioctl 0 FIONREAD ALLOW\n");
  Write(folder, "own", "include base\nread EPERM\n");
  const auto table = LoadVerdictTable(folder.path() + "/own");
  REQUIRE(table.ok());
  REQUIRE(table->size() == 2);
  CHECK((*table)[0].wanted == Verdict::kEperm);
  CHECK((*table)[1].text == "ioctl 0 FIONREAD");
  const auto wrong = CheckVerdicts(CompileRules("rules { reason: 'r' calls: 'read' }"), *table);
  REQUIRE(wrong->size() == 2);
  CHECK((*wrong)[0].find("own:2: read: wanted EPERM, the filter says ALLOW") != std::string::npos);
}

TEST_CASE("wrong tables are told by line") {
  const TempDir folder;
  CHECK(LoadVerdictTable(folder.path() + "/none").status().code() == absl::StatusCode::kNotFound);
  for (const char* text : {"read", "read MAYBE", "raed ALLOW", "include own", "include ../x",
                           "include a b", "include none", "1 2 3 4 5 6 7 8 ALLOW"}) {
    CAPTURE(text);
    Write(folder, "own", std::string("\n") + text);
    CHECK_FALSE(LoadVerdictTable(folder.path() + "/own").ok());
  }
  Write(folder, "own", "read ALLOW\n0 EPERM\n");
  const std::string message(LoadVerdictTable(folder.path() + "/own").status().message());
  CHECK(message == folder.path() + "/own:2: line 1 says it already");
}

TEST_CASE("filters are listed with the names of what they look at") {
  const std::string text = Disassemble(
      CompileRules("rules { reason: 'r' calls: 'mseal' when { argument: 2 comparison: MASKED_EQUAL "
                   "mask: 6 value: 2 low_32_bits: true } }"));
  for (const char* part :
       {"load architecture", "answer KILL", "if == mseal go to", "& 0x6",
        "load argument 2, low half", "answer ALLOW", "answer EPERM", "answer ENOSYS"}) {
    CAPTURE(part, text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find('?') == std::string::npos);
}

}  // namespace
}  // namespace cellblock
