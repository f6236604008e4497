#include "sandbox/launcher/settings.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"
#include "internal/launcher.pb.h"
#include "sandbox/spec/limits.h"
#include "sandbox/spec/policy_name.h"

namespace cellblock::launcher {
namespace {

// Above the ranges that systemd documents for users, containers and dynamic users, below 2^31.
constexpr uint32_t kDefaultUidBase = 1879048192;
constexpr uint32_t kDefaultUidCount = 65536;
constexpr int kDefaultMaxSandboxes = 4096;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text.empty()) text = absl::StrCat("line ", line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

absl::Status CheckAbsolute(absl::string_view field, const std::string& path) {
  if (!path.empty() && path[0] == '/') return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("launcher configuration: ", field,
                                                 " must be an absolute path, not \"", path, "\""));
}

absl::Status Check(const Settings& settings) {
  for (const auto& [field, path] :
       {std::pair<const char*, const std::string*>{"run_dir", &settings.run_dir},
        {"init_path", &settings.init_path},
        {"worker_dir", &settings.worker_dir}}) {
    if (absl::Status status = CheckAbsolute(field, *path); !status.ok()) return status;
  }
  for (const std::string& root : settings.image_roots) {
    if (absl::Status status = CheckAbsolute("image_roots", root); !status.ok()) return status;
  }
  if (!settings.image_store.empty()) {
    const absl::Status status = CheckAbsolute("image_store", settings.image_store);
    if (!status.ok()) return status;
  }
  for (const auto& [name, path] : settings.read_only_roots) {
    if (!IsPolicyName(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "launcher configuration: read_only_roots: the name \"", name, "\" ", kPolicyNameRule));
    }
    if (absl::Status status = CheckAbsolute("read_only_roots", path); !status.ok()) return status;
  }
  if (settings.uid_base < 65536) {
    return absl::InvalidArgumentError(
        "launcher configuration: uid_base must lie above the host's own users (65536 or more)");
  }
  if (settings.uid_count < 4 || settings.uid_base > UINT32_MAX - settings.uid_count) {
    return absl::InvalidArgumentError("launcher configuration: uid_count does not fit uid_base");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Settings> ParseSettings(absl::string_view text) {
  internal::LauncherConfig config;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(std::string(text), &config)) {
    return absl::InvalidArgumentError(
        absl::StrCat("launcher configuration, in text format: ", error.text));
  }
  Settings settings;
  settings.run_dir = config.run_dir().empty() ? "/run/cellblock" : config.run_dir();
  settings.state_dir = config.state_dir();
  settings.init_path = config.init_path();
  settings.worker_dir = config.worker_dir();
  settings.uid_base = config.uid_base() != 0 ? config.uid_base() : kDefaultUidBase;
  settings.uid_count = config.uid_count() != 0 ? config.uid_count() : kDefaultUidCount;
  settings.image_roots.assign(config.image_roots().begin(), config.image_roots().end());
  settings.image_store = config.image_store();
  settings.host_image = config.host_image();
  settings.cgroups_required = config.cgroup_mode() == internal::LauncherConfig::REQUIRED;
  settings.cgroup_root = config.cgroup_root();
  settings.ceiling = LimitsFrom(config.ceiling());
  settings.max_sandboxes =
      config.max_sandboxes() > 0 ? config.max_sandboxes() : kDefaultMaxSandboxes;
  for (const auto& root : config.read_only_roots()) {
    if (!settings.read_only_roots.emplace(root.name(), root.path()).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "launcher configuration: read_only_roots: two are named \"", root.name(), "\""));
    }
  }
  if (absl::Status status = Check(settings); !status.ok()) return status;
  return settings;
}

}  // namespace cellblock::launcher
