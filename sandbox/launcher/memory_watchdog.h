// The declared stand-in for memory.max on hosts without the memory controller: adds up the
// proportional set size of a session's processes and says when it passes the limit.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_MEMORY_WATCHDOG_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_MEMORY_WATCHDOG_H_

#include <cstdint>

#include "sandbox/launcher/sandbox_record.h"

namespace cellblock::launcher {

inline constexpr int kWatchdogPeriodMs = 200;

// Bytes in use if that is above the session's limit, else 0. Reads resident sizes first and the
// exact figures only when those are above the limit.
int64_t MemoryAboveLimit(const SandboxRecord& record);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_MEMORY_WATCHDOG_H_
