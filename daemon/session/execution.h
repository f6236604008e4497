// One run of a cell: the log of its events and its result. One writer, the session's cell thread;
// any number of readers, each at its own pace and from any sequence number, during the run or
// after. A slow reader holds up nobody. Thread-safe.
#ifndef CELLBLOCK_DAEMON_SESSION_EXECUTION_H_
#define CELLBLOCK_DAEMON_SESSION_EXECUTION_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "daemon/session/cell_runner.h"

namespace cellblock {

enum class DisconnectRule { kCancelCell, kKeepRunning };

struct LoggedEvent {
  int64_t sequence = 0;     // 1, 2, 3, ...
  int64_t incarnation = 0;  // of the interpreter it came from
  absl::Time time;
  std::variant<CellEvent, CellResult> body;
};

class Execution {
 public:
  struct Options {
    std::string session_id, id;
    DisconnectRule on_disconnect = DisconnectRule::kCancelCell;
    absl::Duration cancel_grace;
  };
  Execution(Options options, std::shared_ptr<RunnableCell> cell, Clock clock);

  const std::string& session_id() const { return options_.session_id; }
  const std::string& id() const { return options_.id; }

  // The writer's side. Finish comes once, last; it lets go of the cell.
  void Append(int64_t incarnation, CellEvent event);
  void Finish(int64_t incarnation, CellResult result);

  // The cell while it has not ended, else null.
  std::shared_ptr<RunnableCell> cell() const;
  bool ended() const;
  int64_t last_sequence() const;
  int64_t bytes() const;                             // what the log holds, about
  std::shared_ptr<const CellResult> result() const;  // null until the end

  // Waits at most `wait`; the result, or null if there is none yet.
  std::shared_ptr<const CellResult> AwaitResult(absl::Duration wait) const;

  // A place in the log. The last live reader to go away before the end cancels the cell, if the
  // execution was started with that rule.
  class Reader {
   public:
    Reader(std::shared_ptr<Execution> execution, int64_t after_sequence);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // The events after the last ones given, waiting at most `wait` for the first. Empty after a
    // time-out, and for ever once `done`.
    std::vector<std::shared_ptr<const LoggedEvent>> Next(absl::Duration wait);
    bool done() const { return done_; }  // the result has been given

   private:
    const std::shared_ptr<Execution> execution_;
    int64_t position_;
    bool done_ = false;
  };

 private:
  void Push(int64_t incarnation, std::variant<CellEvent, CellResult> body, int64_t bytes);
  void Attach();
  void Detach();

  const Options options_;
  const Clock clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<RunnableCell> cell_;
  std::vector<std::shared_ptr<const LoggedEvent>> events_;  // events_[i] has sequence i + 1
  std::shared_ptr<const CellResult> result_;
  int64_t bytes_ = 0;
  int readers_ = 0;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_EXECUTION_H_
