// cellblockd as a child of this program, for this program alone: on a private unix socket, tied to
// it by a pipe. However this program ends, the daemon sees the pipe end and takes every sandbox
// with it. Start it before any other thread exists, or after: it is spawned, not forked.
#ifndef CELLBLOCK_TOOLS_CLIENT_EMBEDDED_SERVER_H_
#define CELLBLOCK_TOOLS_CLIENT_EMBEDDED_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sandbox/base/unique_fd.h"
#include "tools/client/embedded_slot.h"

namespace cellblock {

struct EmbeddedOptions {
  std::string program;    // "" = found by FindProgram
  std::string cache_dir;  // "" = DefaultCacheDir()
  // A folder whose trees may be used as "dir:" images; "" = none. The invoking user is the
  // operator here.
  std::string image_root;
  std::string policy_dir;   // "" = $CELLBLOCK_POLICY_DIR, and if that is unset the daemon's own
  std::string image_store;  // images of `cellblock rootfs`; "" = none
  absl::Duration start_timeout = absl::Seconds(30);
};

class EmbeddedServer {
 public:
  // Returns once the socket is there; the error of a daemon that ended holds what it wrote.
  static absl::StatusOr<std::unique_ptr<EmbeddedServer>> Start(const EmbeddedOptions& options);
  // Ends the daemon and all its sandboxes and waits for it; kills it after ten seconds.
  ~EmbeddedServer();
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  std::string address() const { return "unix:" + slot_.socket(); }
  // False once the daemon has ended by itself.
  bool running() const;
  // The end of what the daemon wrote to its standard error.
  std::string LogTail() const;

 private:
  explicit EmbeddedServer(EmbeddedSlot slot) : slot_(std::move(slot)) {}
  absl::Status Spawn(const EmbeddedOptions& options);
  absl::Status AwaitSocket(absl::Duration timeout);

  EmbeddedSlot slot_;
  UniqueFd lifeline_, watch_, pidfd_;
  pid_t pid_ = -1;
};

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_EMBEDDED_SERVER_H_
