// Time that only goes forward, for limits and deadlines: a step of the wall clock moves neither.
#ifndef CELLBLOCK_SANDBOX_BASE_CLOCK_H_
#define CELLBLOCK_SANDBOX_BASE_CLOCK_H_

#include <time.h>

#include "absl/time/time.h"

namespace cellblock {

// CLOCK_MONOTONIC as if the machine had started in 1970: to be compared with its own kind only.
inline absl::Time SteadyNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::UnixEpoch() + absl::DurationFromTimespec(now);
}

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_BASE_CLOCK_H_
