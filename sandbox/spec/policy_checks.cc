#include "sandbox/spec/policy_checks.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/spec/check_context.h"
#include "sandbox/spec/known_calls.h"
#include "sandbox/spec/part_checks.h"
#include "sandbox/spec/policy_name.h"
#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

constexpr int kArguments = 6;
constexpr int kMaxValues = 256;
constexpr int kMaxRules = 1024;
constexpr int64_t kMaxSeconds = 315576000000;  // what a Duration may hold
constexpr int32_t kMaxNanos = 999999999;

class Checker {
 public:
  Checker(const v1::Policy& message, CheckContext& context)
      : message_(message), context_(context) {}

  void Check();

 private:
  void Error(const std::string& field, absl::string_view what) { context_.Error(field, what); }

  void CheckName();
  void CheckSizes();
  void CheckRanges();
  void CheckDuration(const std::string& field, const google::protobuf::Duration& value,
                     int64_t least_nanos);
  void CheckRule(const std::string& field, const v1::SyscallRule& rule);
  void CheckCalls(const std::string& field, const v1::SyscallRule& rule);
  void CheckTest(const std::string& field, const v1::ArgumentTest& test);
  void CheckValue(const std::string& field, const v1::ArgumentTest& test, uint64_t value);

  const v1::Policy& message_;
  CheckContext& context_;
};

void Checker::CheckName() {
  if (!IsPolicyName(message_.name())) Error("name", kPolicyNameRule);
}

// What must be there. 0 would mean "no limit" to the kernel in most of these places.
void Checker::CheckSizes() {
  struct Size {
    const char* field;
    int64_t value;
  };
  const v1::Limits& limits = message_.limits();
  const v1::Output& output = message_.output();
  for (const Size& size : {Size{"limits.memory_bytes", limits.memory_bytes()},
                           {"limits.pids", limits.pids()},
                           {"limits.disk_bytes", limits.disk_bytes()},
                           {"limits.disk_inodes", limits.disk_inodes()},
                           {"limits.shm_bytes", limits.shm_bytes()},
                           {"limits.open_files", limits.open_files()},
                           {"limits.file_size_bytes", limits.file_size_bytes()},
                           {"limits.stack_bytes", limits.stack_bytes()},
                           {"output.keep_head_bytes", output.keep_head_bytes()},
                           {"output.keep_tail_bytes", output.keep_tail_bytes()},
                           {"output.max_events", output.max_events()}}) {
    if (size.value <= 0) Error(size.field, "must be more than 0");
  }
}

void Checker::CheckRanges() {
  const v1::Limits& limits = message_.limits();
  if (limits.cpu_millis() < 0) return Error("limits.cpu_millis", "must not be negative");
  if (limits.cpu_weight() < 0 || limits.cpu_weight() > 10000) {
    return Error("limits.cpu_weight", "must be 1 to 10000, or 0 for 100");
  }
  if (message_.output().max_total_bytes() < 0) {
    return Error("output.max_total_bytes", "must not be negative");
  }
  CheckDuration("limits.max_cell_time", limits.max_cell_time(), 1);
  CheckDuration("limits.max_cell_cpu", limits.max_cell_cpu(), 0);
  CheckDuration("limits.interrupt_grace", limits.interrupt_grace(), 1);
}

void Checker::CheckDuration(const std::string& field, const google::protobuf::Duration& value,
                            int64_t least_nanos) {
  if (value.seconds() < 0 || value.nanos() < 0) return Error(field, "must not be negative");
  if (value.seconds() > kMaxSeconds || value.nanos() > kMaxNanos) {
    return Error(field, "is not a duration: too many seconds or nanoseconds");
  }
  if (value.seconds() == 0 && value.nanos() < least_nanos) {
    return Error(field, "must be more than 0");
  }
}

void Checker::CheckRule(const std::string& field, const v1::SyscallRule& rule) {
  context_.CheckReason(field + ".reason", rule.reason());
  CheckCalls(field, rule);
  if (!v1::SyscallRule::Action_IsValid(rule.action())) {
    return Error(field + ".action", "is not an action");
  }
  for (int i = 0; i < rule.when_size(); ++i) {
    CheckTest(absl::StrCat(field, ".when[", i, "]"), rule.when(i));
  }
}

void Checker::CheckCalls(const std::string& field, const v1::SyscallRule& rule) {
  if (rule.calls().empty() == rule.group().empty()) {
    return Error(field, rule.calls().empty() ? "needs calls or a group" : "has calls and a group");
  }
  if (!rule.group().empty() && FindSyscallGroup(rule.group()) == nullptr) {
    return Error(field + ".group", absl::StrCat("no such group: ", absl::CHexEscape(rule.group())));
  }
  for (int i = 0; i < rule.calls_size(); ++i) {
    const std::string call_field = absl::StrCat(field, ".calls[", i, "]");
    if (!IsKnownCall(rule.calls(i))) {
      return Error(call_field,
                   absl::StrCat("no such system call: ", absl::CHexEscape(rule.calls(i))));
    }
    if (rule.calls(i) == "clone3" && rule.action() != v1::SyscallRule::NOT_AVAILABLE) {
      return Error(call_field, "clone3 is always NOT_AVAILABLE: no filter can see its flags");
    }
  }
}

void Checker::CheckTest(const std::string& field, const v1::ArgumentTest& test) {
  if (test.argument() < 0 || test.argument() >= kArguments) {
    return Error(field + ".argument", "must be 0 to 5");
  }
  context_.CheckText(field + ".symbol", test.symbol());
  const bool list = test.comparison() == v1::ArgumentTest::ONE_OF ||
                    test.comparison() == v1::ArgumentTest::NONE_OF;
  const bool masked = test.comparison() == v1::ArgumentTest::MASKED_EQUAL;
  if (!list && !masked && test.comparison() != v1::ArgumentTest::EQUAL) {
    return Error(field + ".comparison", "is missing");
  }
  if (list != !test.values().empty()) {
    return Error(field + ".values", list ? "is empty" : "belongs to ONE_OF and NONE_OF");
  }
  if (list && test.value() != 0) return Error(field + ".value", "this comparison takes values");
  if (test.values_size() > kMaxValues) return Error(field + ".values", "more than 256");
  if (masked != (test.mask() != 0)) {
    return Error(field + ".mask", masked ? "0 tests nothing" : "belongs to MASKED_EQUAL");
  }
  if ((test.value() & ~test.mask()) != 0 && masked) {
    return Error(field + ".value", "has bits outside the mask: never equal");
  }
  CheckValue(field + ".mask", test, test.mask());
  CheckValue(field + ".value", test, test.value());
  for (int i = 0; i < test.values_size(); ++i) {
    CheckValue(absl::StrCat(field, ".values[", i, "]"), test, test.values(i));
  }
}

void Checker::CheckValue(const std::string& field, const v1::ArgumentTest& test, uint64_t value) {
  if (test.low_32_bits() && value > UINT32_MAX) Error(field, "does not fit in the low 32 bits");
}

void Checker::Check() {
  CheckName();
  context_.CheckText("description", message_.description());
  CheckSizes();
  CheckRanges();
  if (message_.syscalls().rules_size() + message_.dangerous().syscalls_size() > kMaxRules) {
    return Error("syscalls.rules", "more than 1024");
  }
  for (int i = 0; i < message_.syscalls().rules_size(); ++i) {
    CheckRule(absl::StrCat("syscalls.rules[", i, "]"), message_.syscalls().rules(i));
  }
  for (int i = 0; i < message_.dangerous().syscalls_size(); ++i) {
    CheckRule(absl::StrCat("dangerous.syscalls[", i, "]"), message_.dangerous().syscalls(i));
  }
}

}  // namespace

void CheckPolicy(const v1::Policy& message, const FieldPlaces& places,
                 std::vector<PolicyFinding>* findings) {
  CheckContext context(places, findings);
  Checker(message, context).Check();
  CheckNetwork(message, context);
  CheckSurroundings(message, context);
}

}  // namespace cellblock
