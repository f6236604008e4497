// Ctrl-C and its relatives, taken by a thread of their own while cells run.
//
// The first SIGINT interrupts the running cell, which keeps its state; the second kills its
// interpreter; the third ends this program at once (an embedded daemon goes with it). SIGTERM and
// SIGHUP kill the cell and are remembered. With no cell running, SIGINT is only remembered, and a
// second one ends the program. Make it before any other thread exists.
#ifndef CELLBLOCK_TOOLS_CLI_INTERRUPTS_H_
#define CELLBLOCK_TOOLS_CLI_INTERRUPTS_H_

#include <signal.h>

#include <mutex>
#include <string>
#include <thread>

#include "sandbox/base/unique_fd.h"
#include "tools/client/sandbox_client.h"

namespace cellblock::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Between the two, signals go to this cell. `client` must live until Unwatch has returned.
  void Watch(SandboxClient* client, const std::string& session_id, const std::string& execution_id);
  void Unwatch();

  // Readable after a signal until Clear; for whoever waits for input meanwhile.
  int wake_fd() const { return wake_.get(); }
  // A SIGINT since the last Clear that no cell took.
  bool interrupted();
  // SIGTERM or SIGHUP has come: end as soon as possible.
  bool terminated();
  void Clear();

 private:
  void Loop();
  void Handle(int signal);

  sigset_t old_mask_;
  UniqueFd signals_, stop_, wake_;
  std::mutex mutex_;
  SandboxClient* client_ = nullptr;  // null: no cell runs
  std::string session_id_, execution_id_;
  int count_ = 0;
  bool interrupted_ = false, terminated_ = false;
  std::thread thread_;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_INTERRUPTS_H_
