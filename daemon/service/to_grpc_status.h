// The one place where an absl::Status becomes a grpc::Status: message cut to 4 KiB, and one
// ErrorInfo in details that every client of google.rpc.Status can read.
#ifndef CELLBLOCK_DAEMON_SERVICE_TO_GRPC_STATUS_H_
#define CELLBLOCK_DAEMON_SERVICE_TO_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace cellblock {

grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_TO_GRPC_STATUS_H_
