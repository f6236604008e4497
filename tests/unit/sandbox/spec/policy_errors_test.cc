// Every way in which a policy can be wrong, with the place that the error must name.
#include "sandbox/spec/policy.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

struct Case {
  std::string text;
  std::string place;  // the beginning of the message
  std::string says;   // somewhere in it
};

void CheckCases(const std::vector<Case>& cases) {
  for (const Case& wrong : cases) {
    const absl::Status status = Policy::Parse(wrong.text, "F").status();
    CAPTURE(wrong.text, status.ToString());
    REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
    const std::string message(status.message());
    CHECK(message.rfind(wrong.place, 0) == 0);
    CHECK(message.find(wrong.says) != std::string::npos);
  }
}

std::string Rule(const std::string& body) {
  return PolicyWithRules("rules { " + body + " }");
}

std::string Test(const std::string& body) {
  return Rule("reason: 'r' calls: 'ioctl' when { " + body + " }");
}

TEST_CASE("text that is not a policy is refused by line and column") {
  CheckCases({{"name: \"a\"\nnope: 1\n", "F:2:", "nope"},
              {"name: \"a\n", "F:1:", ""},
              {"limits {\n", "F:2:", ""},
              {"limits { pids: 99999999999999999999 }", "F:1:", "range"},
              {"limits { pids: 1 pids: 2 }", "F:1:", "pids"},
              {"syscalls { rules { action: PERHAPS } }", "F:1:", "PERHAPS"},
              {std::string("name: 'a'\0", 10), "F:1:", ""}});
}

TEST_CASE("names and texts are plain") {
  for (const char* name : {"", "A", "a b", "a/b", "../x", "\\n", "\xc3\xa4", "a_b"}) {
    CheckCases({{PolicyWith("name: \"test\"", "name: \"" + std::string(name) + "\""),
                 "F:1: name: ", "must be"}});
  }
  CheckCases({{PolicyWith("name: \"test\"\n", ""), "F: name: ", "must be"},
              {PolicyWith("\"test\"", "\"" + std::string(65, 'a') + "\""), "F:1: name: ", "64"},
              {std::string("description: 'a\\x1b[2J'\n") + kMinimalPolicy,
               "F:1: description: ", "printable"},
              {std::string("description: '\\xff'\n") + kMinimalPolicy, "F:1: description: ", ""}});
}

TEST_CASE("every limit that must be there is asked for") {
  struct Field {
    const char* text;
    const char* path;
    int line;
  };
  for (const Field& field : {Field{"memory_bytes: 1000000", "limits.memory_bytes", 3},
                             {"pids: 10", "limits.pids", 4},
                             {"disk_bytes: 1000000", "limits.disk_bytes", 5},
                             {"disk_inodes: 100", "limits.disk_inodes", 6},
                             {"shm_bytes: 4096", "limits.shm_bytes", 7},
                             {"open_files: 16", "limits.open_files", 8},
                             {"file_size_bytes: 1000000", "limits.file_size_bytes", 9},
                             {"stack_bytes: 100000", "limits.stack_bytes", 10},
                             {"keep_head_bytes: 1", "output.keep_head_bytes", 15},
                             {"keep_tail_bytes: 1", "output.keep_tail_bytes", 16},
                             {"max_events: 1", "output.max_events", 17}}) {
    const std::string text = field.text;
    const std::string name = text.substr(0, text.find(':'));
    const std::string path = std::string(": ") + field.path + ": ";
    const int message_line = field.line < 14 ? 2 : 14;
    CheckCases({{PolicyWith(text, ""), "F:" + std::to_string(message_line) + path, "more than 0"},
                {PolicyWith(text, name + ": 0"), "F:" + std::to_string(field.line) + path, ""},
                {PolicyWith(text, name + ": -5"), "F:" + std::to_string(field.line) + path, ""}});
  }
  CheckCases({{"name: 'x'", "F: limits.memory_bytes: ", "more than 0"}});
}

TEST_CASE("times and shares are in range") {
  const std::string time = "max_cell_time { seconds: 1 }";
  const std::string grace = "interrupt_grace { seconds: 1 }";
  CheckCases(
      {{PolicyWith(time, ""), "F:2: limits.max_cell_time: ", "more than 0"},
       {PolicyWith(time, "max_cell_time { }"), "F:11: limits.max_cell_time: ", "more than 0"},
       {PolicyWith(time, "max_cell_time { seconds: -1 }"),
        "F:11: limits.max_cell_time: ", "negative"},
       {PolicyWith(time, "max_cell_time { seconds: 1 nanos: -1 }"),
        "F:11: limits.max_cell_time: ", "negative"},
       {PolicyWith(time, "max_cell_time { seconds: 315576000001 }"),
        "F:11: limits.max_cell_time: ", "duration"},
       {PolicyWith(grace, "interrupt_grace { nanos: 1000000000 }"),
        "F:12: limits.interrupt_grace: ", "duration"},
       {PolicyWith(grace, "max_cell_cpu { seconds: -1 }"),
        "F:12: limits.max_cell_cpu: ", "negative"},
       {PolicyWith(grace, ""), "F:2: limits.interrupt_grace: ", "more than 0"},
       {PolicyWith("pids: 10", "pids: 10 cpu_millis: -1"), "F:4: limits.cpu_millis: ", "negative"},
       {PolicyWith("pids: 10", "pids: 10 cpu_weight: -1"), "F:4: limits.cpu_weight: ", "10000"},
       {PolicyWith("pids: 10", "pids: 10 cpu_weight: 10001"), "F:4: limits.cpu_weight: ", "10000"},
       {PolicyWith("max_events: 1", "max_events: 1 max_total_bytes: -1"),
        "F:17: output.max_total_bytes: ", "negative"}});
}

TEST_CASE("rules have a reason, and calls or a group that exist") {
  CheckCases(
      {{Rule("calls: 'read'"), "F:20: syscalls.rules[0].reason: ", "empty"},
       {Rule("reason: ' \\t' calls: 'read'"), "F:20: syscalls.rules[0].reason: ", "empty"},
       {Rule("reason: 'a\\nb' calls: 'read'"), "F:20: syscalls.rules[0].reason: ", "printable"},
       {Rule("reason: 'r'"), "F:20: syscalls.rules[0]: ", "needs calls or a group"},
       {Rule("reason: 'r' calls: 'read' group: '@sync'"),
        "F:20: syscalls.rules[0]: ", "and a group"},
       {Rule("reason: 'r' group: '@syncs'"), "F:20: syscalls.rules[0].group: ", "@syncs"},
       {Rule("reason: 'r' calls: 'raed'"), "F:20: syscalls.rules[0].calls[0]: ", "raed"},
       {Rule("reason: 'r' calls: ''"), "F:20: syscalls.rules[0].calls[0]: ", "no such"},
       {Rule("reason: 'r' calls: 'read'\ncalls: 'x\\x01'"),
        "F:21: syscalls.rules[0].calls[1]: ", "x\\x01"},
       {Rule("reason: 'r' calls: 'clone3'"), "F:20: syscalls.rules[0].calls[0]: ", "NOT_AVAILABLE"},
       {Rule("reason: 'r' calls: 'read' action: 7"), "F:20: syscalls.rules[0].action: ", ""},
       {PolicyWithRules("rules { reason: 'r' calls: 'read' }\n\nrules { calls: 'write' }"),
        "F:22: syscalls.rules[1].reason: ", "empty"}});
}

TEST_CASE("argument tests say something") {
  const std::string when = "F:20: syscalls.rules[0].when[0].";
  CheckCases({
      {Test("argument: 6 comparison: EQUAL"), when + "argument: ", "0 to 5"},
      {Test("argument: -1 comparison: EQUAL"), when + "argument: ", "0 to 5"},
      {Test("argument: 1"), when + "comparison: ", "missing"},
      {Test("comparison: 9"), when + "comparison: ", ""},
      {Test("comparison: ONE_OF"), when + "values: ", "empty"},
      {Test("comparison: NONE_OF"), when + "values: ", "empty"},
      {Test("comparison: ONE_OF values: 1 value: 2"), when + "value: ", "values"},
      {Test("comparison: EQUAL values: 1"), when + "values: ", "ONE_OF"},
      {Test("comparison: MASKED_EQUAL value: 0"), when + "mask: ", "nothing"},
      {Test("comparison: EQUAL mask: 1 value: 1"), when + "mask: ", "MASKED_EQUAL"},
      {Test("comparison: MASKED_EQUAL mask: 1 value: 2"), when + "value: ", "never"},
      {Test("comparison: EQUAL value: 0x100000000 low_32_bits: true"), when + "value: ", "32"},
      {Test("comparison: ONE_OF values: 1 values: 0xffffffffffffffff low_32_bits: true"),
       when + "values[1]: ", "32"},
      {Test("comparison: MASKED_EQUAL mask: 0x100000000 low_32_bits: true"), when + "mask: ", "32"},
      {Test("comparison: EQUAL symbol: '\\x07'"), when + "symbol: ", "printable"},
  });
  std::string many = "comparison: ONE_OF";
  for (int i = 0; i < 257; ++i) many += " values: " + std::to_string(i);
  CheckCases({{Test(many), when + "values: ", "256"}});
}

}  // namespace
}  // namespace cellblock
