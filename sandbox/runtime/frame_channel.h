// The daemon's end of a worker's control socket: whole messages in and out. Drops what is not for
// the running cell of this incarnation, and counts it.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_FRAME_CHANNEL_H_
#define CELLBLOCK_SANDBOX_RUNTIME_FRAME_CHANNEL_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/base/unique_fd.h"
#include "sandbox/runtime/frame.h"

namespace cellblock {

class FrameChannel {
 public:
  FrameChannel(UniqueFd socket, uint32_t incarnation)
      : socket_(std::move(socket)), incarnation_(incarnation) {}

  int fd() const { return socket_.get(); }
  uint32_t incarnation() const { return incarnation_; }

  // Messages of other cells are dropped from here on; 0 = outside any cell.
  void ExpectCell(uint64_t cell);

  struct Message {
    FrameType type;
    std::string payload;
  };
  enum class Read { kMessage, kNothing, kEnd };
  // One datagram, without blocking. kMessage fills in `message`; kNothing: none was there, or it
  // completed none (then `again` is true).
  Read Receive(Message* message, bool* again);

  // Puts a message for the running cell in line; Flush sends what the socket takes.
  void Queue(FrameType type, const std::string& payload);
  void Flush();
  bool sending() const { return !outgoing_.empty(); }

  int64_t dropped() const { return dropped_; }
  int64_t received() const { return received_; }

 private:
  void DropPartial();

  UniqueFd socket_;
  const uint32_t incarnation_;
  uint64_t cell_ = 0;
  int64_t dropped_ = 0;   // in this cell
  int64_t received_ = 0;  // datagrams in this cell
  std::optional<FrameType> partial_type_;
  std::string partial_;
  bool skipping_ = false;  // the rest of a message that is too large
  std::deque<std::string> outgoing_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_FRAME_CHANNEL_H_
