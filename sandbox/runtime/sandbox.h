// A sandbox as the daemon holds it: init, its files, and the current worker. Respawns a worker that
// died, with a new incarnation. Not thread-safe except where said.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_SANDBOX_H_
#define CELLBLOCK_SANDBOX_RUNTIME_SANDBOX_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/init_client.h"
#include "sandbox/runtime/launcher_client.h"
#include "sandbox/runtime/worker.h"

namespace cellblock {

class Sandbox {
 public:
  // Builds the sandbox and its first worker, and returns once that worker is ready.
  static absl::StatusOr<std::unique_ptr<Sandbox>> Create(
      LauncherClient* launcher, const SandboxSpec& spec,
      const std::map<std::string, std::string>& environment);
  ~Sandbox();  // destroys

  // Runs a cell to its end. Starts a new worker first if the last one is gone (an error of that is
  // INFRA in the result). After the cell: classifies, lists new and changed files.
  CellResult RunCell(const CellRequest& request, const CellLimits& limits, CellControl& control,
                     absl::FunctionRef<void(CellEvent)> sink);

  // Ends the interpreter at once; the next RunCell gets a new one. For an idle session.
  absl::Status KillInterpreter();

  absl::StatusOr<WipeReport> Destroy();

  InitClient& files();             // thread-safe
  void NoteMemoryWatchdog();       // thread-safe; from the launcher's news
  int64_t epoch() const;           // thread-safe; the current incarnation, from 1
  bool interpreter_alive() const;  // thread-safe; while no cell runs. Notes its death in the epoch.
  const SandboxHandles& handles() const;
  const std::string& python_version() const;

 private:
  Sandbox();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_SANDBOX_H_
