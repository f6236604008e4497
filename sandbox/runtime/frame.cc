#include "sandbox/runtime/frame.h"

#include <cstring>

namespace cellblock {
namespace {

bool IsKnown(uint16_t type) {
  switch (static_cast<FrameType>(type)) {
    case FrameType::kRunCell:
    case FrameType::kInputReply:
    case FrameType::kShown:
    case FrameType::kReady:
    case FrameType::kDisplay:
    case FrameType::kClear:
    case FrameType::kError:
    case FrameType::kInputRequest:
    case FrameType::kDone:
      return true;
  }
  return false;
}

}  // namespace

// The machine's own byte order is the wire's: little-endian is all that Cellblock runs on.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

std::string EncodeFrameHeader(const FrameHeader& header) {
  std::string bytes(kFrameHeaderSize, '\0');
  const auto type = static_cast<uint16_t>(header.type);
  memcpy(bytes.data(), &type, sizeof type);
  memcpy(bytes.data() + 2, &header.flags, sizeof header.flags);
  memcpy(bytes.data() + 4, &header.incarnation, sizeof header.incarnation);
  memcpy(bytes.data() + 8, &header.cell, sizeof header.cell);
  return bytes;
}

std::optional<FrameHeader> DecodeFrameHeader(absl::string_view datagram) {
  if (datagram.size() < kFrameHeaderSize || datagram.size() > kFrameHeaderSize + kMaxFramePayload) {
    return std::nullopt;
  }
  FrameHeader header;
  uint16_t type;
  memcpy(&type, datagram.data(), sizeof type);
  if (!IsKnown(type)) return std::nullopt;
  header.type = static_cast<FrameType>(type);
  memcpy(&header.flags, datagram.data() + 2, sizeof header.flags);
  memcpy(&header.incarnation, datagram.data() + 4, sizeof header.incarnation);
  memcpy(&header.cell, datagram.data() + 8, sizeof header.cell);
  if ((header.flags & ~kFlagMore) != 0) return std::nullopt;
  return header;
}

}  // namespace cellblock
