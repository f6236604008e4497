// Errors of the daemon with what a client can act on: a stable reason, the object, whether the same
// call may succeed later, and a remedy. They travel as payloads of absl::Status;
// daemon/service/to_grpc_status turns them into ErrorInfo.
#ifndef CELLBLOCK_DAEMON_SESSION_ERROR_H_
#define CELLBLOCK_DAEMON_SESSION_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace cellblock {

struct ErrorDetail {
  std::string reason;  // upper case, stable; "" = none was given
  std::string object;
  std::string remedy;
  bool retryable = false;
  absl::Duration retry_after;
};

absl::Status MakeError(absl::StatusCode code, absl::string_view message, const ErrorDetail& detail);
ErrorDetail DetailOf(const absl::Status& status);

// NOT_FOUND for an id that does not exist, is another tenant's, or is no id at all: the three are
// not told apart.
absl::Status SessionNotFound(absl::string_view id);
absl::Status ExecutionNotFound(absl::string_view id);

// At most `limit` bytes of `text` with everything unprintable escaped, for messages.
std::string Printable(absl::string_view text, size_t limit = 64);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_ERROR_H_
