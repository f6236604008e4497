// A sandbox that does what the cell's text says: the tests' side of daemon/session/cell_runner.h.
//
//   "say TEXT"  writes TEXT to stdout and ends OK     "fail"   ends with an exception
//   "block"     runs until interrupted or killed      "stubborn"  until killed
//   "ask"       asks for input and writes the answer  "die"    loses the interpreter
#ifndef CELLBLOCK_TESTS_UNIT_DAEMON_SCRIPTED_RUNNER_H_
#define CELLBLOCK_TESTS_UNIT_DAEMON_SCRIPTED_RUNNER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/session/cell_runner.h"
#include "daemon/session/session_registry.h"

namespace cellblock {

// What happened to the sandboxes of one test. Thread-safe.
struct Record {
  std::atomic<int> made{0}, destroyed{0}, cells{0}, cancels{0}, kills{0};
  std::atomic<bool> refuse_create{false};
  std::atomic<bool> sandbox_alive{true};
  std::atomic<int64_t> disk_limit{1 << 30};  // of an upload
};

// Files lie in a folder of the host that is removed with the runner.
std::unique_ptr<CellRunner> MakeScriptedRunner(std::shared_ptr<Record> record);
RunnerFactory ScriptedFactory(std::shared_ptr<Record> record);

// A clock that stands still until it is told to go. Thread-safe.
class TestClock {
 public:
  Clock get() {
    return [this] { return Now(); };
  }
  absl::Time Now() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }
  void Advance(absl::Duration duration) {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ += duration;
  }

 private:
  std::mutex mutex_;
  absl::Time now_ = absl::FromUnixSeconds(1700000000);
};

SessionSpec TestSpec(const std::string& tenant = kLocalTenant);
CellSpec TestCell(const std::string& code, const std::string& execution_id = "");

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_DAEMON_SCRIPTED_RUNNER_H_
