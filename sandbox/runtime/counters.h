// Kernel counters of a session's cgroups. Missing files and missing groups read as zeros.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_COUNTERS_H_
#define CELLBLOCK_SANDBOX_RUNTIME_COUNTERS_H_

#include <cstdint>

#include "sandbox/runtime/outcome.h"

namespace cellblock {

// `leaf`: the worker's group; `session`: its parent, on which the limits are. -1: none.
Counters ReadGroupCounters(int leaf, int session);

// Bytes now; 0 if the kernel does not say.
int64_t ReadMemoryInUse(int leaf);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_COUNTERS_H_
