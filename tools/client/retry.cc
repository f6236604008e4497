#include "tools/client/retry.h"

#include <algorithm>
#include <random>

#include "tools/client/server_error.h"

namespace cellblock {
namespace {

// Spread out, so that clients of one server that came back do not all call at once.
double Jitter() {
  static thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_real_distribution<double>(0.75, 1.25)(generator);
}

}  // namespace

std::optional<absl::Duration> Backoff::Next(const absl::Status& status, Repeatable repeatable) {
  const ServerError error = ServerErrorOf(status);
  const bool lost = absl::IsUnavailable(status) && !error.from_server;
  const bool again = error.retryable || (lost && repeatable == Repeatable::kYes);
  ++failures_;
  if (!again || failures_ >= policy_.max_attempts) return std::nullopt;
  const absl::Duration grown = policy_.first_delay * (int64_t{1} << std::min(failures_ - 1, 20));
  return std::max(std::min(grown, policy_.longest_delay) * Jitter(),
                  std::min(error.retry_after, absl::Seconds(30)));
}

}  // namespace cellblock
