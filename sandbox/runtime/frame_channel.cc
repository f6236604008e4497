#include "sandbox/runtime/frame_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace cellblock {

void FrameChannel::ExpectCell(uint64_t cell) {
  cell_ = cell;
  dropped_ = 0;
  received_ = 0;
  partial_.clear();
  partial_type_.reset();
  skipping_ = false;
  outgoing_.clear();
}

FrameChannel::Read FrameChannel::Receive(Message* message, bool* again) {
  // One byte more than allowed, so that a longer datagram shows.
  char buffer[kFrameHeaderSize + kMaxFramePayload + 1];
  ssize_t count;
  do count = recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT | MSG_TRUNC);
  while (count < 0 && errno == EINTR);
  *again = count > 0;
  if (count < 0) {
    return errno == EAGAIN || errno == EWOULDBLOCK ? Read::kNothing : Read::kEnd;
  }
  if (count == 0) return Read::kEnd;
  ++received_;
  const absl::string_view datagram(buffer, std::min(sizeof buffer, static_cast<size_t>(count)));
  const std::optional<FrameHeader> header = DecodeFrameHeader(datagram);
  if (!header.has_value() || header->incarnation != incarnation_ || header->cell != cell_) {
    ++dropped_;
    return Read::kNothing;
  }
  // Another message begins before the last one was whole.
  if (partial_type_.has_value() && *partial_type_ != header->type) DropPartial();
  const absl::string_view payload = datagram.substr(kFrameHeaderSize);
  const bool more = (header->flags & kFlagMore) != 0;
  partial_type_ = header->type;
  if (!skipping_ && partial_.size() + payload.size() > kMaxMessageSize) {
    DropPartial();
    partial_type_ = header->type;
    skipping_ = true;
  }
  if (!skipping_) partial_.append(payload.data(), payload.size());
  if (more) return Read::kNothing;
  const bool whole = !skipping_;
  skipping_ = false;
  partial_type_.reset();
  if (!whole) return Read::kNothing;
  message->type = header->type;
  message->payload = std::exchange(partial_, std::string());
  return Read::kMessage;
}

void FrameChannel::DropPartial() {
  if (!skipping_) ++dropped_;  // else it is counted already
  skipping_ = false;
  partial_type_.reset();
  partial_ = std::string();  // gives the memory back
}

void FrameChannel::Queue(FrameType type, const std::string& payload) {
  size_t at = 0;
  do {
    const size_t size = std::min(payload.size() - at, kMaxFramePayload);
    const uint16_t flags = at + size < payload.size() ? kFlagMore : 0;
    outgoing_.push_back(EncodeFrameHeader({type, flags, incarnation_, cell_}));
    outgoing_.back().append(payload, at, size);
    at += size;
  } while (at < payload.size());
}

void FrameChannel::Flush() {
  while (!outgoing_.empty()) {
    const std::string& datagram = outgoing_.front();
    if (send(socket_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return;
      outgoing_.clear();  // nobody reads any more, which the socket's end will tell
      return;
    }
    outgoing_.pop_front();
  }
}

}  // namespace cellblock
