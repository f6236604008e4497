// The gRPC server: one service on one unix socket, health, reflection, and every limit set rather
// than inherited.
#ifndef CELLBLOCK_DAEMON_SERVICE_SERVER_H_
#define CELLBLOCK_DAEMON_SERVICE_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace grpc {
class Server;
class Service;
}  // namespace grpc

namespace cellblock {

inline constexpr int64_t kMaxMessageBytes = int64_t{32} << 20;

class RpcServer {
 public:
  // Binds `socket` (absent until now) with mode 0600, or 0660 if `group_may_connect`, and serves.
  // Not SERVING yet in the sense of health. `service` must outlive it.
  struct Options {
    std::string socket;
    bool group_may_connect = false;
    int max_running_cells = 0;
  };
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(const Options& options,
                                                          grpc::Service* service);
  ~RpcServer();

  void SetServing(bool serving);
  // Health is NOT_SERVING from now on, whatever SetServing says later.
  void StopServing();
  // No new calls; those under way get until `deadline`, then they are cancelled. Blocks.
  void Shutdown(absl::Time deadline);

 private:
  RpcServer();
  std::unique_ptr<grpc::Server> server_;
  std::string socket_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_SERVER_H_
