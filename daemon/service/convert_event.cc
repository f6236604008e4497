// Events and results of cells to messages.
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "cellblock/v1/cell.pb.h"
#include "daemon/service/convert.h"

namespace cellblock {
namespace {

v1::StreamName Wire(Stream stream) {
  return stream == Stream::kStdout ? v1::STDOUT : v1::STDERR;
}

v1::Outcome Wire(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return v1::OK;
    case Outcome::kException:
      return v1::EXCEPTION;
    case Outcome::kInterrupted:
      return v1::INTERRUPTED;
    case Outcome::kTimeoutWall:
      return v1::TIMEOUT_WALL;
    case Outcome::kTimeoutCpu:
      return v1::TIMEOUT_CPU;
    case Outcome::kOom:
      return v1::OOM;
    case Outcome::kOutputLimit:
      return v1::OUTPUT_LIMIT;
    case Outcome::kRefused:
      return v1::REFUSED;
    case Outcome::kExited:
      return v1::EXITED;
    case Outcome::kSignaled:
      return v1::SIGNALED;
    case Outcome::kSeccomp:
      return v1::SECCOMP;
    case Outcome::kInfra:
      return v1::INFRA;
  }
  return v1::OUTCOME_UNSPECIFIED;
}

v1::Cause Wire(Cause cause) {
  switch (cause) {
    case Cause::kNone:
      return v1::CAUSE_UNSPECIFIED;
    case Cause::kPids:
      return v1::PIDS;
    case Cause::kDiskFull:
      return v1::DISK_FULL;
    case Cause::kMemory:
      return v1::MEMORY;
  }
  return v1::CAUSE_UNSPECIFIED;
}

v1::StateFate Wire(StateFate fate) {
  switch (fate) {
    case StateFate::kPreserved:
      return v1::PRESERVED;
    case StateFate::kRolledBack:
      return v1::STATE_ROLLED_BACK;
    case StateFate::kLost:
      return v1::LOST;
  }
  return v1::STATE_FATE_UNSPECIFIED;
}

void Write(const Usage& usage, v1::Usage* out) {
  ToProto(usage.wall, out->mutable_wall());
  ToProto(usage.cpu, out->mutable_cpu());
  out->set_peak_memory_bytes(usage.peak_memory_bytes);
  out->set_peak_is_per_session(usage.peak_is_per_session);
  out->set_stdout_bytes(usage.stdout_bytes);
  out->set_stderr_bytes(usage.stderr_bytes);
}

void Write(const Artifact& artifact, v1::Artifact* out) {
  out->set_path(artifact.path);
  out->set_size(artifact.size);
  out->set_sha256(artifact.sha256);
  out->set_created(artifact.created);
}

// One alternative of CellEvent each.
struct EventWriter {
  v1::ExecuteEvent* out;
  const LoggedEvent& logged;
  const std::string& execution_id;

  void operator()(const CellStarted& event) const {
    v1::CellStarted* started = out->mutable_started();
    started->set_execution_id(execution_id);
    started->set_execution_count(event.execution_count);
    ToProto(logged.time, started->mutable_started_at());
  }
  void operator()(const OutputChunk& event) const {
    v1::OutputChunk* chunk = out->mutable_output();
    chunk->set_stream(Wire(event.stream));
    chunk->set_data(event.data);
    chunk->set_late(event.late);
  }
  void operator()(const OutputGap& event) const {
    out->mutable_gap()->set_stream(Wire(event.stream));
    out->mutable_gap()->set_bytes(event.bytes);
  }
  void operator()(const DisplayData& event) const {
    v1::DisplayData* display = out->mutable_display();
    ToProto(event.bundle, display->mutable_bundle());
    display->set_display_id(Utf8(event.display_id));
    display->set_update(event.update);
  }
  void operator()(const ExecuteResult& event) const {
    ToProto(event.bundle, out->mutable_value()->mutable_bundle());
    out->mutable_value()->set_execution_count(event.execution_count);
  }
  void operator()(const ClearOutput& event) const {
    out->mutable_clear_output()->set_wait(event.wait);
  }
  void operator()(const CellError& event) const { ToProto(event, out->mutable_error()); }
  void operator()(const InputRequest& event) const {
    out->mutable_input_request()->set_prompt(Utf8(event.prompt));
    out->mutable_input_request()->set_password(event.password);
  }
  void operator()(const Progress& event) const {
    ToProto(event.elapsed, out->mutable_progress()->mutable_elapsed());
    ToProto(event.cpu, out->mutable_progress()->mutable_cpu());
    out->mutable_progress()->set_memory_bytes(event.memory_bytes);
  }
  void operator()(const StateEvent& event) const {
    v1::StateEvent* state = out->mutable_state();
    state->set_kind(event.rolled_back ? v1::StateEvent::ROLLED_BACK : v1::StateEvent::STATE_LOST);
    state->set_epoch(event.epoch);
    state->set_why(Utf8(event.why));
  }
};

}  // namespace

void ToProto(const MimeBundle& bundle, v1::MimeBundle* out) {
  for (const auto& [type, data] : bundle.data) (*out->mutable_data())[Utf8(type)] = data;
  out->set_metadata_json(Utf8(bundle.metadata_json));
  for (const std::string& type : bundle.omitted) out->add_omitted(Utf8(type));
}

void ToProto(const CellError& error, v1::CellError* out) {
  out->set_name(Utf8(error.name));
  out->set_value(Utf8(error.value));
  for (const TraceFrame& frame : error.frames) {
    v1::TraceFrame* frame_out = out->add_frames();
    frame_out->set_file(Utf8(frame.file));
    frame_out->set_function(Utf8(frame.function));
    frame_out->set_line(frame.line);
    frame_out->set_source(Utf8(frame.source));
    frame_out->set_user_code(frame.user_code);
  }
  out->set_traceback(Utf8(error.traceback));
  out->set_traceback_ansi(Utf8(error.traceback_ansi));
  out->set_line(error.line);
  out->set_column(error.column);
}

void ToProto(const CellResult& result, v1::CellResult* out) {
  out->set_outcome(Wire(result.outcome));
  out->set_cause(Wire(result.cause));
  out->set_message(Utf8(result.message));
  if (result.error.has_value()) ToProto(*result.error, out->mutable_error());
  out->set_exit_status(result.exit_status);
  out->set_signal(result.signal);
  out->set_execution_count(result.execution_count);
  out->set_epoch(result.epoch);
  out->set_state(Wire(result.state));
  out->set_files(v1::KEPT);
  for (const Denial& denial : result.denials) {
    v1::Denial* denial_out = out->add_denials();
    denial_out->set_rule(denial.rule);
    denial_out->set_reason(denial.reason);
    denial_out->set_subject(Utf8(denial.subject));
    denial_out->set_attempt(denial.attempt);
    denial_out->set_remedy(denial.remedy);
    denial_out->set_count(denial.count);
  }
  for (const LimitEvent& event : result.limit_events) {
    v1::LimitEvent* event_out = out->add_limit_events();
    event_out->set_limit(Utf8(event.limit));
    event_out->set_count(event.count);
    event_out->set_evidence(Utf8(event.evidence));
  }
  Write(result.usage, out->mutable_usage());
  for (const Artifact& artifact : result.artifacts) Write(artifact, out->add_artifacts());
  out->set_artifacts_truncated(result.artifacts_truncated);
  for (const auto& [name, value] : result.user_expressions) {
    v1::UserExpressionResult& value_out = (*out->mutable_user_expressions())[Utf8(name)];
    if (value.value.has_value()) ToProto(*value.value, value_out.mutable_value());
    if (value.error.has_value()) ToProto(*value.error, value_out.mutable_error());
  }
  out->set_dropped_frames(result.dropped_frames);
  for (const std::string& path : result.removed_files) out->add_removed_files(path);
}

void ToProto(const LoggedEvent& event, const std::string& execution_id, v1::ExecuteEvent* out) {
  out->set_sequence(event.sequence);
  out->set_incarnation(event.incarnation);
  ToProto(event.time, out->mutable_time());
  if (const auto* result = std::get_if<CellResult>(&event.body)) {
    ToProto(*result, out->mutable_result());
    return;
  }
  std::visit(EventWriter{out, event, execution_id}, std::get<CellEvent>(event.body));
}

}  // namespace cellblock
