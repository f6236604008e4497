// What a server says about a call that failed, decoded from the status details into a value that
// travels with the absl::Status. Text from a server is foreign: escape it before it is shown.
#ifndef CELLBLOCK_TOOLS_CLIENT_SERVER_ERROR_H_
#define CELLBLOCK_TOOLS_CLIENT_SERVER_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace grpc {
class Status;
}

namespace cellblock {

struct ServerError {
  bool from_server = false;  // false: no details came, e.g. the connection failed
  std::string reason, step, object, remedy;
  int errno_value = 0;
  bool retryable = false;
  absl::Duration retry_after;
};

absl::Status FromGrpcStatus(const grpc::Status& status);
ServerError ServerErrorOf(const absl::Status& status);

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_SERVER_ERROR_H_
