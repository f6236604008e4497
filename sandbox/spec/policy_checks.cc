#include "sandbox/spec/policy_checks.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/known_calls.h"
#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;

constexpr int kArguments = 6;
constexpr size_t kMaxName = 64;
constexpr int kMaxValues = 256;
constexpr int64_t kMaxSeconds = 315576000000;  // what a Duration may hold
constexpr int32_t kMaxNanos = 999999999;

class Checker {
 public:
  Checker(const v1::Policy& message, const TextFormat::ParseInfoTree& places,
          absl::string_view file)
      : message_(message), places_(places), file_(file) {}

  absl::Status Check() const;

 private:
  absl::Status Error(absl::string_view field, absl::string_view what) const;
  int LineOf(absl::string_view field) const;

  absl::Status CheckName() const;
  absl::Status CheckText(absl::string_view field, absl::string_view text) const;
  absl::Status CheckSizes() const;
  absl::Status CheckRanges() const;
  absl::Status CheckDuration(absl::string_view field, const google::protobuf::Duration& value,
                             int64_t least_nanos) const;
  absl::Status CheckRule(const std::string& field, const v1::SyscallRule& rule) const;
  absl::Status CheckCalls(const std::string& field, const v1::SyscallRule& rule) const;
  absl::Status CheckTest(const std::string& field, const v1::ArgumentTest& test) const;
  absl::Status CheckValue(const std::string& field, const v1::ArgumentTest& test,
                          uint64_t value) const;

  const v1::Policy& message_;
  const TextFormat::ParseInfoTree& places_;
  absl::string_view file_;
};

absl::Status Checker::Error(absl::string_view field, absl::string_view what) const {
  const int line = LineOf(field);
  const std::string place = line >= 0 ? absl::StrCat(":", line + 1) : "";
  return absl::InvalidArgumentError(absl::StrCat(file_, place, ": ", field, ": ", what));
}

// Follows "syscalls.rules[3].reason" as far as the text goes; -1 if it has not even the first part.
int Checker::LineOf(absl::string_view field) const {
  const TextFormat::ParseInfoTree* tree = &places_;
  const google::protobuf::Descriptor* message = v1::Policy::descriptor();
  int line = -1;
  for (const absl::string_view part : absl::StrSplit(field, '.')) {
    const std::vector<absl::string_view> pieces = absl::StrSplit(part, absl::ByAnyChar("[]"));
    const FieldDescriptor* descriptor = message->FindFieldByName(std::string(pieces[0]));
    int index = -1;
    if (descriptor == nullptr) return line;
    if (descriptor->is_repeated() && (pieces.size() < 2 || !absl::SimpleAtoi(pieces[1], &index))) {
      index = 0;
    }
    const int here = tree->GetLocation(descriptor, index).line;
    if (here < 0) return line;
    line = here;
    if (descriptor->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return line;
    tree = tree->GetTreeForNested(descriptor, index);
    message = descriptor->message_type();
    if (tree == nullptr) return line;
  }
  return line;
}

absl::Status Checker::CheckName() const {
  const std::string& name = message_.name();
  bool good = !name.empty() && name.size() <= kMaxName;
  for (const char c : name) {
    good = good && (absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-');
  }
  return good ? absl::OkStatus() : Error("name", "must be 1 to 64 of a-z, 0-9 and -");
}

// Words for people end up in terminals, logs and replies: printable ASCII keeps all of them safe.
absl::Status Checker::CheckText(absl::string_view field, absl::string_view text) const {
  for (const char c : text) {
    if (!absl::ascii_isprint(c)) return Error(field, "must be printable ASCII on one line");
  }
  return absl::OkStatus();
}

// What must be there. 0 would mean "no limit" to the kernel in most of these places.
absl::Status Checker::CheckSizes() const {
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
    if (size.value <= 0) return Error(size.field, "must be more than 0");
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckRanges() const {
  const v1::Limits& limits = message_.limits();
  if (limits.cpu_millis() < 0) return Error("limits.cpu_millis", "must not be negative");
  if (limits.cpu_weight() < 0 || limits.cpu_weight() > 10000) {
    return Error("limits.cpu_weight", "must be 1 to 10000, or 0 for 100");
  }
  if (message_.output().max_total_bytes() < 0) {
    return Error("output.max_total_bytes", "must not be negative");
  }
  CELLBLOCK_RETURN_IF_ERROR(CheckDuration("limits.max_cell_time", limits.max_cell_time(), 1));
  CELLBLOCK_RETURN_IF_ERROR(CheckDuration("limits.max_cell_cpu", limits.max_cell_cpu(), 0));
  return CheckDuration("limits.interrupt_grace", limits.interrupt_grace(), 1);
}

absl::Status Checker::CheckDuration(absl::string_view field,
                                    const google::protobuf::Duration& value,
                                    int64_t least_nanos) const {
  if (value.seconds() < 0 || value.nanos() < 0) return Error(field, "must not be negative");
  if (value.seconds() > kMaxSeconds || value.nanos() > kMaxNanos) {
    return Error(field, "is not a duration: too many seconds or nanoseconds");
  }
  if (value.seconds() == 0 && value.nanos() < least_nanos) {
    return Error(field, "must be more than 0");
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckRule(const std::string& field, const v1::SyscallRule& rule) const {
  if (absl::StripAsciiWhitespace(rule.reason()).empty()) {
    return Error(field + ".reason", "is empty: say why the rule is there");
  }
  CELLBLOCK_RETURN_IF_ERROR(CheckText(field + ".reason", rule.reason()));
  CELLBLOCK_RETURN_IF_ERROR(CheckCalls(field, rule));
  if (!v1::SyscallRule::Action_IsValid(rule.action())) {
    return Error(field + ".action", "is not an action");
  }
  for (int i = 0; i < rule.when_size(); ++i) {
    CELLBLOCK_RETURN_IF_ERROR(CheckTest(absl::StrCat(field, ".when[", i, "]"), rule.when(i)));
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckCalls(const std::string& field, const v1::SyscallRule& rule) const {
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
  return absl::OkStatus();
}

absl::Status Checker::CheckTest(const std::string& field, const v1::ArgumentTest& test) const {
  if (test.argument() < 0 || test.argument() >= kArguments) {
    return Error(field + ".argument", "must be 0 to 5");
  }
  CELLBLOCK_RETURN_IF_ERROR(CheckText(field + ".symbol", test.symbol()));
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
  CELLBLOCK_RETURN_IF_ERROR(CheckValue(field + ".mask", test, test.mask()));
  CELLBLOCK_RETURN_IF_ERROR(CheckValue(field + ".value", test, test.value()));
  for (int i = 0; i < test.values_size(); ++i) {
    CELLBLOCK_RETURN_IF_ERROR(
        CheckValue(absl::StrCat(field, ".values[", i, "]"), test, test.values(i)));
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckValue(const std::string& field, const v1::ArgumentTest& test,
                                 uint64_t value) const {
  if (!test.low_32_bits() || value <= UINT32_MAX) return absl::OkStatus();
  return Error(field, "does not fit in the low 32 bits");
}

absl::Status Checker::Check() const {
  CELLBLOCK_RETURN_IF_ERROR(CheckName());
  CELLBLOCK_RETURN_IF_ERROR(CheckText("description", message_.description()));
  CELLBLOCK_RETURN_IF_ERROR(CheckSizes());
  CELLBLOCK_RETURN_IF_ERROR(CheckRanges());
  for (int i = 0; i < message_.syscalls().rules_size(); ++i) {
    CELLBLOCK_RETURN_IF_ERROR(
        CheckRule(absl::StrCat("syscalls.rules[", i, "]"), message_.syscalls().rules(i)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPolicy(const v1::Policy& message, const TextFormat::ParseInfoTree& places,
                         absl::string_view file) {
  return Checker(message, places, file).Check();
}

}  // namespace cellblock
