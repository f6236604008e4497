// When a failed call is made again, and after how long.
#ifndef CELLBLOCK_TOOLS_CLIENT_RETRY_H_
#define CELLBLOCK_TOOLS_CLIENT_RETRY_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace cellblock {

struct RetryPolicy {
  int max_attempts = 5;  // the first one included
  absl::Duration first_delay = absl::Milliseconds(100);
  absl::Duration longest_delay = absl::Seconds(3);
};

// Whether a call whose answer was lost may be made again: it may have had its effect already.
enum class Repeatable { kNo, kYes };

class Backoff {
 public:
  explicit Backoff(const RetryPolicy& policy) : policy_(policy) {}

  // How long to wait before the next attempt; nothing: give up. A server that says "retryable" is
  // believed for every call; a lost connection counts for repeatable calls only.
  std::optional<absl::Duration> Next(const absl::Status& status, Repeatable repeatable);
  // The call made progress: failures are counted from here.
  void Reset() { failures_ = 0; }

 private:
  const RetryPolicy policy_;
  int failures_ = 0;
};

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_RETRY_H_
