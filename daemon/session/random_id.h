// Ids that cannot be guessed.
#ifndef CELLBLOCK_DAEMON_SESSION_RANDOM_ID_H_
#define CELLBLOCK_DAEMON_SESSION_RANDOM_ID_H_

#include <string>

namespace cellblock {

// 128 random bits from the kernel as 32 hex digits. Ends the process if the kernel has none.
std::string RandomId();

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SESSION_RANDOM_ID_H_
