// The frames between the daemon and a worker: one SEQPACKET datagram is a 16-byte header and at
// most kMaxFramePayload bytes. A message larger than that travels as several frames, all but the
// last with kFlagMore. All integers are little-endian. The Python side is worker/frame.py; the
// golden frames in tests/data/frames are checked from both.
//
//   offset 0  u16 type          FrameType
//          2  u16 flags         kFlagMore
//          4  u32 incarnation   of the interpreter; stale ones are dropped
//          8  u64 cell          a random number that names one execution, 0 outside a cell
//
// A frame whose incarnation or cell number does not match is dropped and counted: bytes that user
// code writes to descriptors at random never pass for a result.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_FRAME_H_
#define CELLBLOCK_SANDBOX_RUNTIME_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace cellblock {

enum class FrameType : uint16_t {
  kRunCell = 1,
  kInputReply = 2,
  kShown = 3,
  kReady = 16,
  kDisplay = 18,
  kClear = 19,
  kError = 20,
  kInputRequest = 21,
  kDone = 22,
};

inline constexpr size_t kFrameHeaderSize = 16;
inline constexpr size_t kMaxFramePayload = 60 * 1024;
inline constexpr size_t kMaxMessageSize = 16 * 1024 * 1024;  // all frames of one message
inline constexpr uint16_t kFlagMore = 1;

struct FrameHeader {
  FrameType type;
  uint16_t flags = 0;
  uint32_t incarnation = 0;
  uint64_t cell = 0;
};

std::string EncodeFrameHeader(const FrameHeader& header);

// nullopt if the datagram is shorter than a header, longer than the limit or of an unknown type.
std::optional<FrameHeader> DecodeFrameHeader(absl::string_view datagram);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_FRAME_H_
