// The launcher's loop: one thread, one poll, one request at a time. Ends (and with it every
// sandbox) when the daemon's end of the socket closes.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_SERVER_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_SERVER_H_

#include <cstdint>
#include <map>
#include <memory>

#include "sandbox/launcher/host.h"
#include "sandbox/launcher/sandbox_record.h"

namespace cellblock::internal {
class LauncherReply;
class LauncherRequest;
}  // namespace cellblock::internal

namespace cellblock::launcher {

class Server {
 public:
  Server(Host& host, UniqueFd daemon);

  // Returns when the daemon is gone or `stop_fd` is readable.
  void Run(int stop_fd);

 private:
  using Fds = std::vector<int>;

  bool ServeOne();  // false: the daemon is gone
  void Dispatch(const internal::LauncherRequest& request);
  absl::Status Create(const internal::LauncherRequest& request, internal::LauncherReply* reply);
  absl::Status Spawn(const internal::LauncherRequest& request, internal::LauncherReply* reply);
  absl::Status Kill(const internal::LauncherRequest& request, internal::LauncherReply* reply);
  absl::Status Destroy(const internal::LauncherRequest& request);
  void Hello(internal::LauncherReply* reply) const;

  absl::StatusOr<SandboxRecord*> Find(uint64_t id);
  void KillWhole(SandboxRecord& record);
  void KillCells(SandboxRecord& record);
  void InitEnded(SandboxRecord& record);
  void Finish(SandboxRecord& record);
  void CheckMemory();
  void KillAll();
  void Send(const internal::LauncherReply& reply, const Fds& fds = {});
  bool WatchdogNeeded() const;

  Host& host_;
  UniqueFd daemon_;
  std::map<uint64_t, std::unique_ptr<SandboxRecord>> sandboxes_;
  uint64_t next_id_ = 1;
  bool daemon_gone_ = false;
};

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_SERVER_H_
