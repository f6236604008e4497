// Values of one execution: what is asked, what comes back while it runs, and how it ended. They
// mirror proto/cellblock/v1/cell.proto; daemon/service/convert is the only place that maps them.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_CELL_H_
#define CELLBLOCK_SANDBOX_RUNTIME_CELL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"

namespace cellblock {

enum class Outcome {
  kOk,
  kException,
  kInterrupted,
  kTimeoutWall,
  kTimeoutCpu,
  kOom,
  kOutputLimit,
  kRefused,
  kExited,
  kSignaled,
  kSeccomp,
  kInfra,
};
enum class Cause { kNone, kPids, kDiskFull, kMemory };
enum class StateFate { kPreserved, kRolledBack, kLost };

struct CellRequest {
  std::string code;
  bool silent = false;
  bool offer_input = false;
  std::string name;
  std::vector<std::pair<std::string, std::string>> expressions;
  int64_t max_display_bytes = 8 * 1024 * 1024;
};

enum class Stream { kStdout = 0, kStderr = 1 };

struct OutputChunk {
  Stream stream;
  std::string data;
  bool late = false;
};
struct OutputGap {
  Stream stream;
  int64_t bytes = 0;
};
struct MimeBundle {
  std::map<std::string, std::string> data;
  std::string metadata_json;
  std::vector<std::string> omitted;
};
struct DisplayData {
  MimeBundle bundle;
  std::string display_id;
  bool update = false;
};
struct ExecuteResult {
  MimeBundle bundle;
  int64_t execution_count = 0;
};
struct ClearOutput {
  bool wait = false;
};
struct TraceFrame {
  std::string file, function, source;
  int32_t line = 0;
  bool user_code = false;
};
struct CellError {
  std::string name, value, traceback, traceback_ansi;
  std::vector<TraceFrame> frames;
  int32_t line = 0, column = 0;
  // The worker's claims: what ran out, and of the OSError that led to it the number, file and host.
  bool memory = false, disk_full = false, no_processes = false, unresolved = false;
  int32_t os_errno = 0;
  std::string os_path, os_target;
};
struct InputRequest {
  std::string prompt;
  bool password = false;
};
struct CellStarted {
  int64_t execution_count = 0;
};
struct Progress {
  absl::Duration elapsed, cpu;
  int64_t memory_bytes = 0;
};
struct StateEvent {
  bool rolled_back = false;
  int64_t epoch = 0;
  std::string why;
};

using CellEvent = std::variant<CellStarted, OutputChunk, OutputGap, DisplayData, ExecuteResult,
                               ClearOutput, CellError, InputRequest, Progress, StateEvent>;

struct LimitEvent {
  std::string limit;
  int64_t count = 0;
  std::string evidence;
};
struct Usage {
  absl::Duration wall, cpu;
  int64_t peak_memory_bytes = 0;
  bool peak_is_per_session = false;
  int64_t stdout_bytes = 0, stderr_bytes = 0;
};
struct Artifact {
  std::string path;
  int64_t size = 0;
  std::string sha256;
  bool created = false;
};
struct UserExpressionResult {
  std::optional<MimeBundle> value;
  std::optional<CellError> error;
};

// What was refused: by which rule and why, on what, and what to do instead.
struct Denial {
  std::string rule, reason, subject, attempt, remedy;
  int64_t count = 1;
};

struct CellResult {
  Outcome outcome = Outcome::kInfra;
  Cause cause = Cause::kNone;
  std::string message;
  std::optional<CellError> error;
  int exit_status = 0;
  int signal = 0;
  int64_t execution_count = 0;
  int64_t epoch = 0;
  StateFate state = StateFate::kPreserved;
  std::vector<LimitEvent> limit_events;
  std::vector<Denial> denials;
  Usage usage;
  std::vector<Artifact> artifacts;
  bool artifacts_truncated = false;
  std::vector<std::string> removed_files;
  std::map<std::string, UserExpressionResult> user_expressions;
  int64_t dropped_frames = 0;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_CELL_H_
