#include "daemon/service/convert.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>

#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/utf8.h"

namespace cellblock {
namespace {

v1::SessionState Wire(SessionState state) {
  switch (state) {
    case SessionState::kIdle:
      return v1::IDLE;
    case SessionState::kBusy:
      return v1::BUSY;
    case SessionState::kInterpreterLost:
      return v1::INTERPRETER_LOST;
    case SessionState::kClosing:
      return v1::CLOSING;
  }
  return v1::SESSION_STATE_UNSPECIFIED;
}

v1::FileType Wire(EntryType type) {
  switch (type) {
    case EntryType::kRegular:
      return v1::REGULAR;
    case EntryType::kDirectory:
      return v1::DIRECTORY;
    case EntryType::kSymlink:
      return v1::SYMLINK;
    case EntryType::kOther:
      return v1::OTHER;
  }
  return v1::FILE_TYPE_UNSPECIFIED;
}

}  // namespace

bool IsUtf8(absl::string_view text) {
  return ValidUtf8Prefix(text) == text.size();
}

std::string Utf8(absl::string_view text) {
  std::string out;
  for (;;) {
    const size_t valid = ValidUtf8Prefix(text);
    out.append(text.data(), valid);
    if (valid == text.size()) return out;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(valid + 1);
  }
}

void ToProto(absl::Duration duration, google::protobuf::Duration* out) {
  // A Duration's range is 10,000 years; "for ever" is cut to it.
  constexpr int64_t kMaxSeconds = 315576000000;
  const int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &duration);
  out->set_seconds(std::clamp(seconds, -kMaxSeconds, kMaxSeconds));
  out->set_nanos(seconds > kMaxSeconds ? 0 : static_cast<int32_t>(duration / absl::Nanoseconds(1)));
}

void ToProto(absl::Time time, google::protobuf::Timestamp* out) {
  constexpr int64_t kLastSecond = 253402300799;  // of the year 9999
  const int64_t seconds = std::clamp<int64_t>(absl::ToUnixSeconds(time), 0, kLastSecond);
  out->set_seconds(seconds);
  const absl::Duration rest = time - absl::FromUnixSeconds(seconds);
  out->set_nanos(rest < absl::Seconds(1) && rest > absl::ZeroDuration()
                     ? static_cast<int32_t>(rest / absl::Nanoseconds(1))
                     : 0);
}

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

void ToProto(const Facility& facility, v1::Capability* out) {
  out->set_name(Utf8(facility.name));
  out->set_enforcement(static_cast<v1::Enforcement>(facility.enforcement));
  out->set_how(Utf8(facility.how));
  out->set_value(Utf8(facility.value));
  out->set_gap(Utf8(facility.gap));
}

void ToProto(const Session& session, v1::Session* out) {
  const SessionInfo info = session.Describe();
  const RunnerInfo& runner = session.runner_info();
  out->set_id(info.id);
  out->set_state(Wire(info.state));
  out->set_epoch(info.epoch);
  out->set_image(session.spec().image);
  out->set_image_digest(Utf8(runner.image_digest));
  out->set_policy(session.spec().policy);
  out->set_policy_digest(session.spec().policy_digest);
  ToProto(info.created_at, out->mutable_created_at());
  ToProto(info.last_used_at, out->mutable_last_used_at());
  ToProto(info.idle_expires_at, out->mutable_idle_expires_at());
  ToProto(info.expires_at, out->mutable_expires_at());
  for (const Facility& facility : runner.facilities) ToProto(facility, out->add_capabilities());
  out->set_work_dir(Utf8(runner.work_dir));
  out->set_python_version(Utf8(runner.python_version));
  for (const auto& [key, value] : session.spec().labels) (*out->mutable_labels())[key] = value;
  out->set_running_execution_id(info.running_execution_id);
  out->set_cells_run(info.cells_run);
  out->set_tenant(session.spec().tenant);
}

void ToProto(const FileEntry& entry, v1::FileInfo* out) {
  out->set_path(entry.path);
  out->set_type(Wire(entry.type));
  out->set_size(entry.size);
  ToProto(entry.modified, out->mutable_modified_at());
  out->set_mode(entry.mode);
}

void ToProto(const WipeReport& report, v1::WipeReceipt* out) {
  out->set_processes_left(report.processes_left);
  out->set_mounts_gone(report.mounts_gone);
  out->set_cgroup_removed(report.cgroup_removed);
  out->set_uids_released(report.uids_released);
  out->set_disk_bytes_discarded(report.disk_bytes_discarded);
}

void ToProto(const Execution& execution, v1::Execution* out) {
  out->set_session_id(execution.session_id());
  out->set_execution_id(execution.id());
  out->set_last_sequence(execution.last_sequence());
  if (const auto result = execution.result()) {
    ToProto(*result, out->mutable_result());
    return;
  }
  out->set_running(true);
  if (const auto cell = execution.cell()) out->set_waiting_for_input(cell->waiting_for_input());
}

}  // namespace cellblock
