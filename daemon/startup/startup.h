// What a daemon does beside its first calls, on a thread of its own and in a session of its own:
// runs 1+1 before it calls itself healthy, then prepares the image's caches.
#ifndef CELLBLOCK_DAEMON_STARTUP_STARTUP_H_
#define CELLBLOCK_DAEMON_STARTUP_STARTUP_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "daemon/session/cell_runner.h"

namespace cellblock {

class Startup {
 public:
  struct Options {
    bool self_test = true;
    bool image_cache = true;
    std::string state_dir;
    std::string image_digest;  // of the default image; "" = not known before the session is made
    RunnerSpec spec;           // of the session
    CellLimits limits;
  };
  // `on_tested` is called once, with how the self-test ended; at once if there is none.
  Startup(Options options, RunnerFactory factory, std::function<void(absl::Status)> on_tested);
  ~Startup();  // kills what runs, and waits
  // Waits for the work to end by itself: OK if all that was wanted was done.
  absl::Status Wait();

 private:
  absl::Status Work();
  absl::Status RunCode(CellRunner* runner, absl::string_view code);
  absl::Status Prepare(CellRunner* runner);

  const Options options_;
  const RunnerFactory factory_;
  const std::function<void(absl::Status)> on_tested_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::shared_ptr<RunnableCell> running_;
  absl::Status outcome_;  // the thread's, read after it was joined
  std::thread thread_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_STARTUP_STARTUP_H_
