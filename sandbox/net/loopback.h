// The netlink message that brings the loopback interface up, built by libnl before the clone; the
// child only sends it.
#ifndef CELLBLOCK_SANDBOX_NET_LOOPBACK_H_
#define CELLBLOCK_SANDBOX_NET_LOOPBACK_H_

#include <string>

#include "absl/status/statusor.h"

namespace cellblock {

absl::StatusOr<std::string> BuildLoopbackUpRequest();

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_NET_LOOPBACK_H_
