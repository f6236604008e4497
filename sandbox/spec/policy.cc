#include "sandbox/spec/policy.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/policy_checks.h"
#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
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
  CELLBLOCK_RETURN_IF_ERROR(CheckPolicy(message, places, file));
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
