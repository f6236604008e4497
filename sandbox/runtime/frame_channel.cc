#include "sandbox/runtime/frame_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/base/status.h"

namespace cellblock {

void FrameChannel::ExpectCell(uint64_t cell) {
  cell_ = cell;
  dropped_ = 0;
  received_ = 0;
  partial_.clear();
  partial_type_.reset();
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
  const bool mine =
      header.has_value() && header->incarnation == incarnation_ && header->cell == cell_;
  const bool follows = !partial_type_.has_value() || (mine && *partial_type_ == header->type);
  if (!mine || !follows || partial_.size() + datagram.size() > kMaxMessageSize) {
    ++dropped_;
    return Read::kNothing;
  }
  partial_.append(datagram.data() + kFrameHeaderSize, datagram.size() - kFrameHeaderSize);
  if ((header->flags & kFlagMore) != 0) {
    partial_type_ = header->type;
    return Read::kNothing;
  }
  partial_type_.reset();
  message->type = header->type;
  message->payload = std::move(partial_);
  partial_.clear();
  return Read::kMessage;
}

absl::Status FrameChannel::Send(FrameType type, const std::string& payload, absl::Time deadline) {
  size_t at = 0;
  do {
    const size_t size = std::min(payload.size() - at, kMaxFramePayload);
    const bool more = at + size < payload.size();
    std::string datagram =
        EncodeFrameHeader({type, more ? kFlagMore : static_cast<uint16_t>(0), incarnation_, cell_});
    datagram.append(payload, at, size);
    for (;;) {
      if (send(socket_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
        break;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return ErrnoStatus("send frame", "", errno);
      const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
      pollfd polled{socket_.get(), POLLOUT, 0};
      if (left <= 0 || poll(&polled, 1, static_cast<int>(left)) == 0) {
        return absl::DeadlineExceededError("the worker does not read its control socket");
      }
    }
    at += size;
  } while (at < payload.size());
  return absl::OkStatus();
}

}  // namespace cellblock
