#include "sandbox/spec/policy.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <openssl/evp.h>

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/known_calls.h"
#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

constexpr int kArguments = 6;
constexpr size_t kMaxName = 64;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

// Says "FILE:LINE: FIELD: WHAT" with the line where the field's message starts, if it is known.
class Checker {
 public:
  Checker(absl::string_view file, const google::protobuf::TextFormat::ParseInfoTree& places,
          const v1::Policy& message)
      : file_(file), places_(places), message_(message) {}

  absl::Status Error(absl::string_view field, absl::string_view what, int line = -1) const {
    const std::string place = line >= 0 ? absl::StrCat(":", line + 1) : "";
    return absl::InvalidArgumentError(absl::StrCat(file_, place, ": ", field, ": ", what));
  }

  // Line of a top-level message field, -1 if it is absent.
  int LineOf(const char* field) const { return places_.GetLocation(Descriptor(field), -1).line; }

  absl::Status RuleError(int rule, absl::string_view field, absl::string_view what) const {
    const google::protobuf::TextFormat::ParseInfoTree* syscalls =
        places_.GetTreeForNested(Descriptor("syscalls"), -1);
    const int line =
        syscalls == nullptr
            ? -1
            : syscalls->GetLocation(v1::Syscalls::descriptor()->FindFieldByName("rules"), rule)
                  .line;
    return Error(absl::StrCat("syscalls.rules[", rule, "]", field.empty() ? "" : ".", field), what,
                 line);
  }

  const v1::Policy& message() const { return message_; }

 private:
  static const google::protobuf::FieldDescriptor* Descriptor(const char* field) {
    return v1::Policy::descriptor()->FindFieldByName(field);
  }

  absl::string_view file_;
  const google::protobuf::TextFormat::ParseInfoTree& places_;
  const v1::Policy& message_;
};

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

absl::Status CheckName(const Checker& checker) {
  const std::string& name = checker.message().name();
  bool good = !name.empty() && name.size() <= kMaxName;
  for (const char c : name)
    good = good && (absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-');
  return good ? absl::OkStatus()
              : checker.Error("name", "must be 1 to 64 of a-z, 0-9 and -", checker.LineOf("name"));
}

absl::Status CheckLimits(const Checker& checker) {
  const v1::Limits& limits = checker.message().limits();
  const int line = checker.LineOf("limits");
  struct Positive {
    const char* field;
    int64_t value;
  };
  for (const Positive& check :
       {Positive{"limits.memory_bytes", limits.memory_bytes()},
        {"limits.pids", limits.pids()},
        {"limits.disk_bytes", limits.disk_bytes()},
        {"limits.disk_inodes", limits.disk_inodes()},
        {"limits.shm_bytes", limits.shm_bytes()},
        {"limits.open_files", limits.open_files()},
        {"limits.file_size_bytes", limits.file_size_bytes()},
        {"limits.stack_bytes", limits.stack_bytes()},
        {"output.keep_head_bytes", checker.message().output().keep_head_bytes()},
        {"output.keep_tail_bytes", checker.message().output().keep_tail_bytes()},
        {"output.max_events", checker.message().output().max_events()}}) {
    if (check.value <= 0) return checker.Error(check.field, "must be more than 0", line);
  }
  if (limits.cpu_millis() < 0) {
    return checker.Error("limits.cpu_millis", "must not be negative", line);
  }
  if (limits.cpu_weight() < 0 || limits.cpu_weight() > 10000) {
    return checker.Error("limits.cpu_weight", "must be 1 to 10000, or 0 for 100", line);
  }
  if (checker.message().output().max_total_bytes() < 0) {
    return checker.Error("output.max_total_bytes", "must not be negative");
  }
  if (FromProto(limits.max_cell_time()) <= absl::ZeroDuration()) {
    return checker.Error("limits.max_cell_time", "must be more than 0", line);
  }
  if (FromProto(limits.max_cell_cpu()) < absl::ZeroDuration()) {
    return checker.Error("limits.max_cell_cpu", "must not be negative", line);
  }
  if (FromProto(limits.interrupt_grace()) <= absl::ZeroDuration()) {
    return checker.Error("limits.interrupt_grace", "must be more than 0", line);
  }
  return absl::OkStatus();
}

absl::Status CheckTest(const Checker& checker, int rule, int index) {
  const v1::ArgumentTest& test = checker.message().syscalls().rules(rule).when(index);
  const std::string field = absl::StrCat("when[", index, "]");
  if (test.argument() < 0 || test.argument() >= kArguments) {
    return checker.RuleError(rule, field + ".argument", "must be 0 to 5");
  }
  switch (test.comparison()) {
    case v1::ArgumentTest::EQUAL:
      return absl::OkStatus();
    case v1::ArgumentTest::MASKED_EQUAL:
      if (test.mask() == 0) return checker.RuleError(rule, field + ".mask", "0 tests nothing");
      if ((test.value() & ~test.mask()) != 0) {
        return checker.RuleError(rule, field + ".value", "has bits outside the mask: never equal");
      }
      return absl::OkStatus();
    case v1::ArgumentTest::ONE_OF:
    case v1::ArgumentTest::NONE_OF:
      if (test.values().empty()) return checker.RuleError(rule, field + ".values", "is empty");
      return absl::OkStatus();
    default:
      return checker.RuleError(rule, field + ".comparison", "is missing");
  }
}

absl::Status CheckRule(const Checker& checker, int index) {
  const v1::SyscallRule& rule = checker.message().syscalls().rules(index);
  if (absl::StripAsciiWhitespace(rule.reason()).empty()) {
    return checker.RuleError(index, "reason", "is empty: say why the rule is there");
  }
  if (rule.calls().empty() == rule.group().empty()) {
    return checker.RuleError(index, "", "needs either calls or a group, not both and not neither");
  }
  if (!rule.group().empty() && FindSyscallGroup(rule.group()) == nullptr) {
    return checker.RuleError(index, "group", absl::StrCat("no such group: ", rule.group()));
  }
  for (const std::string& call : rule.calls()) {
    if (!IsKnownCall(call)) {
      return checker.RuleError(index, "calls", absl::StrCat("no such system call: ", call));
    }
  }
  for (int i = 0; i < rule.when_size(); ++i) {
    CELLBLOCK_RETURN_IF_ERROR(CheckTest(checker, index, i));
    if (rule.action() != v1::SyscallRule::ALLOW &&
        rule.when(i).comparison() == v1::ArgumentTest::NONE_OF) {
      return checker.RuleError(
          index, absl::StrCat("when[", i, "]"),
          "NONE_OF belongs to ALLOW; for a refusal name the values with ONE_OF");
    }
  }
  return absl::OkStatus();
}

ArgumentTest Convert(const v1::ArgumentTest& test) {
  using Comparison = ArgumentTest::Comparison;
  ArgumentTest value;
  value.argument = test.argument();
  value.value = test.value();
  value.mask = test.mask();
  value.values.assign(test.values().begin(), test.values().end());
  value.low_32_bits = test.low_32_bits();
  value.symbol = test.symbol();
  switch (test.comparison()) {
    case v1::ArgumentTest::MASKED_EQUAL:
      value.comparison = Comparison::kMaskedEqual;
      break;
    case v1::ArgumentTest::ONE_OF:
      value.comparison = Comparison::kOneOf;
      break;
    case v1::ArgumentTest::NONE_OF:
      value.comparison = Comparison::kNoneOf;
      break;
    default:
      value.comparison = Comparison::kEqual;
  }
  return value;
}

SyscallRule Convert(const v1::SyscallRule& rule) {
  SyscallRule value;
  value.reason = rule.reason();
  value.group = rule.group();
  value.calls.assign(rule.calls().begin(), rule.calls().end());
  if (const SyscallGroup* group = FindSyscallGroup(rule.group()); group != nullptr) {
    value.calls.assign(group->calls.begin(), group->calls.end());
  }
  for (const v1::ArgumentTest& test : rule.when()) value.when.push_back(Convert(test));
  switch (rule.action()) {
    case v1::SyscallRule::DENY:
      value.action = SyscallRule::Action::kDeny;
      break;
    case v1::SyscallRule::NOT_AVAILABLE:
      value.action = SyscallRule::Action::kNotAvailable;
      break;
    default:
      value.action = SyscallRule::Action::kAllow;
  }
  return value;
}

Limits Convert(const v1::Limits& limits) {
  Limits value;
  value.memory_bytes = limits.memory_bytes();
  value.pids = limits.pids();
  value.cpu_millis = limits.cpu_millis();
  value.cpu_weight = limits.cpu_weight() != 0 ? limits.cpu_weight() : 100;
  value.disk_bytes = limits.disk_bytes();
  value.disk_inodes = limits.disk_inodes();
  value.shm_bytes = limits.shm_bytes();
  value.open_files = limits.open_files();
  value.file_size_bytes = limits.file_size_bytes();
  value.stack_bytes = limits.stack_bytes();
  value.max_cell_time = FromProto(limits.max_cell_time());
  value.max_cell_cpu = FromProto(limits.max_cell_cpu());
  value.interrupt_grace = FromProto(limits.interrupt_grace());
  return value;
}

// Map-free messages serialise the same way every time when asked to.
absl::StatusOr<std::string> DigestOf(const v1::Policy& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 failed");
  }
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

}  // namespace

absl::StatusOr<Policy> Policy::Parse(absl::string_view text, absl::string_view file) {
  v1::Policy message;
  FirstError error;
  google::protobuf::TextFormat::ParseInfoTree places;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(std::string(text), &message)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", error.text));
  }
  const Checker checker(file, places, message);
  CELLBLOCK_RETURN_IF_ERROR(CheckName(checker));
  CELLBLOCK_RETURN_IF_ERROR(CheckLimits(checker));
  for (int i = 0; i < message.syscalls().rules_size(); ++i) {
    CELLBLOCK_RETURN_IF_ERROR(CheckRule(checker, i));
  }
  Policy policy;
  policy.name_ = message.name();
  policy.description_ = message.description();
  policy.limits_ = Convert(message.limits());
  policy.output_ = {message.output().keep_head_bytes(), message.output().keep_tail_bytes(),
                    message.output().max_total_bytes(), message.output().max_events()};
  policy.executable_work_dir_ = message.filesystem().executable_work_dir();
  for (const v1::SyscallRule& rule : message.syscalls().rules()) {
    policy.syscall_rules_.push_back(Convert(rule));
  }
  CELLBLOCK_ASSIGN_OR_RETURN(policy.digest_, DigestOf(message));
  return policy;
}

absl::StatusOr<Policy> Policy::Load(const std::string& path) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, 1 << 20));
  return Parse(text, path);
}

}  // namespace cellblock
