// What a session needs of a sandbox: run cells, serve files, end. The one seam between the daemon's
// logic and the machinery: sandbox_runner.h is the real thing, the unit tests script another.
#ifndef CELLBLOCK_DAEMON_SESSION_CELL_RUNNER_H_
#define CELLBLOCK_DAEMON_SESSION_CELL_RUNNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/init_client.h"
#include "sandbox/runtime/launcher_client.h"
#include "sandbox/runtime/worker.h"
#include "sandbox/spec/facility.h"

namespace cellblock {

// One cell, from before it runs until its last reader is gone. All but Run may be called from any
// thread at any time, also after the sandbox is gone.
class RunnableCell {
 public:
  virtual ~RunnableCell() = default;
  // Once, on the session's cell thread. Events go to `sink` in order, on that thread.
  virtual CellResult Run(absl::FunctionRef<void(CellEvent)> sink) = 0;
  virtual void Interrupt() = 0;
  virtual void Cancel(absl::Duration grace) = 0;
  virtual void Kill() = 0;
  virtual bool ProvideInput(std::string text, bool end_of_file) = 0;
  virtual bool waiting_for_input() const = 0;
};

// An upload under way. Destroyed without a Finish that succeeded, it leaves nothing.
class FileUpload {
 public:
  virtual ~FileUpload() = default;
  virtual int pipe() const = 0;
  virtual absl::Status Finish() = 0;
};

struct RunnerInfo {
  std::string image_digest, work_dir, python_version;
  std::vector<Facility> facilities;
};

class CellRunner {
 public:
  virtual ~CellRunner() = default;
  virtual const RunnerInfo& info() const = 0;

  // The cell must not outlive the runner while it runs; afterwards it may.
  virtual std::shared_ptr<RunnableCell> Prepare(CellRequest request, CellLimits limits) = 0;
  // For an idle session, on its cell thread.
  virtual absl::Status KillInterpreter() = 0;
  // After the cell thread has ended.
  virtual absl::StatusOr<WipeReport> Destroy() = 0;

  // Thread-safe from here on.
  virtual void KillAll() = 0;  // init and so everything: a running cell ends with INFRA
  virtual int64_t epoch() const = 0;
  virtual bool interpreter_alive() const = 0;  // while no cell runs; its death shows in epoch()
  virtual bool sandbox_alive() const = 0;
  virtual absl::StatusOr<UniqueFd> OpenRead(absl::string_view path) = 0;
  virtual absl::StatusOr<FileListing> List(absl::string_view path, bool recursive,
                                           int64_t max_entries) = 0;
  virtual absl::Status Remove(absl::string_view path, bool recursive) = 0;
  virtual absl::StatusOr<std::unique_ptr<FileUpload>> StartUpload(absl::string_view path,
                                                                  uint32_t mode) = 0;
};

struct RunnerSpec {
  SandboxSpec sandbox;
  std::map<std::string, std::string> environment;
};

// Makes a sandbox whose interpreter has answered. Blocks; called from several threads.
using RunnerFactory = std::function<absl::StatusOr<std::unique_ptr<CellRunner>>(const RunnerSpec&)>;

using Clock = std::function<absl::Time()>;

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_CELL_RUNNER_H_
