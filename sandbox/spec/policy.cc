#include "sandbox/spec/policy.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/load_policy.h"
#include "sandbox/spec/named_values.h"
#include "sandbox/spec/policy_checks.h"
#include "sandbox/spec/policy_file.h"
#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

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

// Message to value; knows Policy's fields.
class PolicyBuilder {
 public:
  explicit PolicyBuilder(ResolvedPolicy resolved)
      : message_(*resolved.policy.message), resolved_(std::move(resolved)) {}

  absl::StatusOr<Policy> Build() {
    policy_.name_ = message_.name();
    policy_.description_ = message_.description();
    policy_.limits_ = Convert(message_.limits());
    policy_.output_ = {message_.output().keep_head_bytes(), message_.output().keep_tail_bytes(),
                       message_.output().max_total_bytes(), message_.output().max_events()};
    policy_.executable_work_dir_ = message_.filesystem().executable_work_dir();
    policy_.time_zone_ = message_.time_zone();
    AddRules("syscalls.rules", message_.syscalls().rules(), false);
    AddRules("dangerous.syscalls", message_.dangerous().syscalls(), true);
    AddLists();
    CELLBLOCK_ASSIGN_OR_RETURN(policy_.digest_, DigestOf(message_));
    policy_.files_ = std::move(resolved_.files);
    policy_.places_ = std::move(resolved_.policy.places);
    return std::move(policy_);
  }

 private:
  SourcePlace At(absl::string_view list, int index) const {
    return resolved_.policy.places.Find(absl::StrCat(list, "[", index, "]"));
  }

  void AddRules(absl::string_view list,
                const google::protobuf::RepeatedPtrField<v1::SyscallRule>& rules, bool dangerous) {
    for (int i = 0; i < rules.size(); ++i) {
      policy_.syscall_rules_.push_back(Convert(rules[i]));
      policy_.syscall_rules_.back().dangerous = dangerous;
      policy_.syscall_rules_.back().field = absl::StrCat(list, "[", i, "]");
      policy_.syscall_rules_.back().place = At(list, i);
    }
  }

  void AddLists() {
    const auto& hosts = message_.network().allow();
    for (int i = 0; i < hosts.size(); ++i) {
      policy_.allowed_hosts_.push_back(
          {hosts[i].reason(), hosts[i].host(), At("network.allow", i)});
    }
    const auto& networks = message_.dangerous().private_networks();
    for (int i = 0; i < networks.size(); ++i) {
      policy_.private_networks_.push_back(
          {networks[i].reason(), networks[i].range(), At("dangerous.private_networks", i)});
    }
    const auto& binds = message_.filesystem().read_only();
    for (int i = 0; i < binds.size(); ++i) {
      policy_.read_only_binds_.push_back(
          {binds[i].reason(), binds[i].name(), At("filesystem.read_only", i)});
    }
    const auto& variables = message_.environment();
    for (int i = 0; i < variables.size(); ++i) {
      policy_.environment_.push_back(
          {variables[i].name(), variables[i].value(), At("environment", i)});
    }
  }

  const v1::Policy& message_;
  ResolvedPolicy resolved_;
  Policy policy_;
};

absl::StatusOr<Policy> BuildPolicy(const PolicySource& source, const FindPolicy& find,
                                   std::vector<PolicyFinding>* findings) {
  std::optional<ResolvedPolicy> resolved = ResolveLayers(source, find, findings);
  if (!resolved) return FirstOf(*findings);
  v1::Policy* message = resolved->policy.message.get();
  ResolveNames(message, resolved->policy.places, findings);
  if (findings->empty()) CheckPolicy(*message, resolved->policy.places, findings);
  CELLBLOCK_RETURN_IF_ERROR(FirstOf(*findings));
  return PolicyBuilder(*std::move(resolved)).Build();
}

absl::StatusOr<Policy> Policy::Parse(absl::string_view text, absl::string_view file) {
  std::vector<PolicyFinding> findings;
  const auto nowhere = [](const std::string&) -> absl::StatusOr<PolicySource> {
    return absl::InvalidArgumentError("needs a folder of policies: this one stands alone");
  };
  return BuildPolicy({std::string(text), std::string(file)}, nowhere, &findings);
}

absl::StatusOr<Policy> Policy::Load(const std::string& path) {
  std::vector<PolicyFinding> findings;
  return LoadPolicy(path, {}, &findings);
}

absl::StatusOr<Policy> LoadPolicy(const std::string& path, const std::vector<std::string>& folders,
                                  std::vector<PolicyFinding>* findings) {
  CELLBLOCK_ASSIGN_OR_RETURN(const PolicySource source, ReadPolicyFile(path));
  std::vector<std::string> all = {FolderOf(path)};
  all.insert(all.end(), folders.begin(), folders.end());
  return BuildPolicy(
      source, [&](const std::string& name) { return FindPolicyFile(name, all); }, findings);
}

}  // namespace cellblock
