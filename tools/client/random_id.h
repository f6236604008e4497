// Identifiers that nobody else will choose: idempotency keys and execution ids.
#ifndef CELLBLOCK_TOOLS_CLIENT_RANDOM_ID_H_
#define CELLBLOCK_TOOLS_CLIENT_RANDOM_ID_H_

#include <string>

namespace cellblock {

// 32 hexadecimal digits from the kernel's random source.
std::string MakeClientId();

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_RANDOM_ID_H_
