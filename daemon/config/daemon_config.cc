#include "daemon/config/daemon_config.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "internal/daemon.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

// Above the ranges that systemd documents for users, containers and dynamic users, below 2^31.
constexpr uint32_t kDefaultUidBase = 1879048192;
constexpr int kDefaultMaxSessions = 64;
constexpr int kDefaultMaxRunningCells = 32;
constexpr int64_t kDefaultFileBytes = int64_t{2} << 30;
constexpr int64_t kDefaultRetentionBytes = int64_t{256} << 20;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

std::string Default(const std::string& value, const std::string& otherwise) {
  return value.empty() ? otherwise : value;
}

template <typename T>
T DefaultNumber(T value, T otherwise) {
  return value == 0 ? otherwise : value;
}

// The first that exists, else the last.
std::string FirstExisting(std::initializer_list<std::string> paths) {
  std::error_code error;
  for (const std::string& path : paths) {
    if (fs::exists(path, error)) return path;
  }
  return *(paths.end() - 1);
}

std::string FindProgram(const std::string& prefix, const std::string& name) {
  return FirstExisting(
      {prefix + "/bin/" + name, prefix + "/sbin/" + name, prefix + "/libexec/cellblock/" + name});
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  absl::Duration Time(const google::protobuf::Duration& value, bool set, const char* field,
                      absl::Duration otherwise) {
    if (!set) return otherwise;
    if (value.seconds() < 0 || value.nanos() < 0) Fail(field, "must not be negative");
    return absl::Seconds(value.seconds()) + absl::Nanoseconds(value.nanos());
  }
  void NotNegative(int64_t value, const char* field) {
    if (value < 0) Fail(field, "must not be negative");
  }
  void Absolute(const std::string& path, const char* field) {
    if (!absl::StartsWith(path, "/")) Fail(field, "must be an absolute path");
  }
  const absl::Status& status() const { return status_; }

 private:
  void Fail(const char* field, const char* rule) {
    status_.Update(absl::InvalidArgumentError(absl::StrCat(file_, ": ", field, " ", rule)));
  }
  const std::string file_;
  absl::Status status_;
};

std::string CompleteLauncherConfig(internal::LauncherConfig* launcher, const std::string& prefix,
                                   const DaemonSettings& settings) {
  launcher->set_state_dir(settings.state_dir);
  if (launcher->init_path().empty()) {
    launcher->set_init_path(FindProgram(prefix, "cellblock-init"));
  }
  if (launcher->worker_dir().empty()) {
    launcher->set_worker_dir(prefix + "/share/cellblock/worker");
  }
  if (launcher->uid_base() == 0) launcher->set_uid_base(kDefaultUidBase);
  if (launcher->image_roots().empty()) launcher->set_host_image(true);
  // One more than the sessions: the daemon's own test session.
  if (launcher->max_sandboxes() == 0) launcher->set_max_sandboxes(settings.max_sessions + 1);
  std::string text;
  google::protobuf::TextFormat::PrintToString(*launcher, &text);
  return text;
}

void ReadNumbers(const internal::DaemonConfig& config, Reader* reader, DaemonSettings* settings) {
  reader->NotNegative(config.max_sessions(), "max_sessions");
  reader->NotNegative(config.max_running_cells(), "max_running_cells");
  reader->NotNegative(config.retention_bytes(), "retention_bytes");
  reader->NotNegative(config.max_upload_bytes(), "max_upload_bytes");
  reader->NotNegative(config.max_download_bytes(), "max_download_bytes");
  settings->max_sessions = DefaultNumber(config.max_sessions(), kDefaultMaxSessions);
  settings->max_running_cells = DefaultNumber(config.max_running_cells(), kDefaultMaxRunningCells);
  settings->retention_bytes = DefaultNumber(config.retention_bytes(), kDefaultRetentionBytes);
  settings->max_upload_bytes = DefaultNumber(config.max_upload_bytes(), kDefaultFileBytes);
  settings->max_download_bytes = DefaultNumber(config.max_download_bytes(), kDefaultFileBytes);
  settings->default_idle_ttl =
      reader->Time(config.default_idle_ttl(), config.has_default_idle_ttl(), "default_idle_ttl",
                   absl::Minutes(30));
  settings->default_total_ttl =
      reader->Time(config.default_total_ttl(), config.has_default_total_ttl(), "default_total_ttl",
                   absl::Hours(24));
  settings->drain_deadline = reader->Time(config.drain_deadline(), config.has_drain_deadline(),
                                          "drain_deadline", absl::Seconds(20));
  settings->retention_time = reader->Time(config.retention_time(), config.has_retention_time(),
                                          "retention_time", absl::Minutes(10));
}

}  // namespace

absl::StatusOr<DaemonSettings> ParseSettings(const std::string& text, const std::string& file,
                                             const std::string& prefix,
                                             const DaemonOverrides& overrides) {
  internal::DaemonConfig config;
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text, &config)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", error.text));
  }
  Reader reader(file);
  DaemonSettings settings;
  settings.socket =
      Default(overrides.socket, Default(config.socket(), "/run/cellblock/cellblockd.sock"));
  settings.socket_group = config.socket_group();
  settings.state_dir =
      Default(overrides.state_dir, Default(config.state_dir(), "/var/lib/cellblock"));
  settings.policy_dir = Default(config.policy_dir(), prefix + "/share/cellblock/policies");
  settings.launcher_path =
      Default(config.launcher_path(), FindProgram(prefix, "cellblock-launcher"));
  settings.user = config.user();
  settings.default_image = Default(config.default_image(), "host");
  settings.default_policy = Default(config.default_policy(), "python");
  reader.Absolute(settings.socket, "socket");
  reader.Absolute(settings.state_dir, "state_dir");
  ReadNumbers(config, &reader, &settings);
  settings.self_test = !config.no_self_test() && !overrides.embedded;
  settings.image_cache = !config.no_image_cache();
  if (config.launcher().image_store().empty()) {
    config.mutable_launcher()->set_image_store(settings.state_dir + "/images");
  }
  settings.image_store = config.launcher().image_store();
  reader.Absolute(settings.image_store, "launcher.image_store");
  settings.launcher_config = CompleteLauncherConfig(config.mutable_launcher(), prefix, settings);
  for (const auto& root : config.launcher().read_only_roots()) {
    settings.read_only_roots.insert(root.name());
  }
  settings.ceiling = LimitsFrom(config.launcher().ceiling());
  settings.fallback_uid = config.launcher().uid_base();
  if (!reader.status().ok()) return reader.status();
  return settings;
}

absl::StatusOr<DaemonSettings> LoadSettings(const DaemonOverrides& overrides) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return ErrnoStatus("readlink", "/proc/self/exe", error.value());
  const std::string prefix = program.parent_path().parent_path();
  std::string text;
  if (!overrides.config_file.empty()) {
    CELLBLOCK_ASSIGN_OR_RETURN(text, ReadFile(overrides.config_file, 1 << 20));
  }
  return ParseSettings(text, Default(overrides.config_file, "(no configuration file)"), prefix,
                       overrides);
}

}  // namespace cellblock
