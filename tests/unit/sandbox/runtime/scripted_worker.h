// A real process that plays a Python worker by a script, on a real control socket and real pipes,
// with a FakeInit beside it. Fork first, threads later: make it at the start of a test case.
#ifndef CELLBLOCK_TESTS_UNIT_SANDBOX_RUNTIME_SCRIPTED_WORKER_H_
#define CELLBLOCK_TESTS_UNIT_SANDBOX_RUNTIME_SCRIPTED_WORKER_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "internal/worker.pb.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/frame.h"
#include "sandbox/runtime/worker.h"
#include "tests/unit/sandbox/runtime/fake_init.h"

namespace cellblock {

inline constexpr uint32_t kIncarnation = 3;

// The script's side, in the forked process. Whatever fails ends the process with status 99.
struct WorkerEnd {
  int control, out, err;
  uint64_t cell = 0;
  internal::RunCell request;

  void AwaitCell();
  std::string AwaitMessage(FrameType type);
  // As they are, whatever they are.
  void SendDatagram(const std::string& bytes);
  // A whole message of the running cell, in as many frames as it takes.
  void Send(FrameType type, const std::string& payload);
  void Send(FrameType type, const google::protobuf::MessageLite& message) {
    Send(type, message.SerializeAsString());
  }
  std::string Header(FrameType type, uint16_t flags = 0) const;
  void Print(const std::string& text, bool to_stderr = false);
  void Display(const std::string& text);
  void Done(internal::Done::Status status = internal::Done::OK, int exit_code = 0);
};

struct ScriptedOptions {
  bool init_signals = true;  // init delivers signals and kills
  bool init_reports = true;  // init tells how the worker ended
};

class ScriptedWorker {
 public:
  using Script = std::function<void(WorkerEnd&)>;

  explicit ScriptedWorker(const Script& script, const ScriptedOptions& options = {});
  ~ScriptedWorker();

  Worker& worker() { return *worker_; }
  FakeInit& init() { return *init_; }
  pid_t pid() const { return pid_; }

  // Runs one cell; its events are in `events` then.
  Worker::Report Run();
  Worker::Report Run(const CellRequest& request);

  CellLimits limits;
  CellControl control;
  std::function<void(const CellEvent&)> on_event;  // called on the cell's thread
  std::vector<CellEvent> events;

  // Everything of a stream: late bytes as "[late:...]", gaps as "[gap:N]".
  std::string Text(Stream stream) const;
  template <typename Event>
  std::vector<Event> Of() const {
    std::vector<Event> found;
    for (const CellEvent& event : events) {
      if (const auto* wanted = std::get_if<Event>(&event)) found.push_back(*wanted);
    }
    return found;
  }

 private:
  pid_t pid_ = -1;
  std::unique_ptr<FakeInit> init_;
  std::unique_ptr<InitClient> client_;
  std::unique_ptr<Worker> worker_;
};

Verdict VerdictOf(const Worker::Report& report);

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_SANDBOX_RUNTIME_SCRIPTED_WORKER_H_
