// The daemon's end of a worker's control socket: whole messages in and out. Drops what is not for
// the running cell of this incarnation, and counts it.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_FRAME_CHANNEL_H_
#define CELLBLOCK_SANDBOX_RUNTIME_FRAME_CHANNEL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
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

  // Blocks while the worker does not read, until the deadline (DEADLINE_EXCEEDED).
  absl::Status Send(FrameType type, const std::string& payload, absl::Time deadline);

  int64_t dropped() const { return dropped_; }
  int64_t received() const { return received_; }

 private:
  UniqueFd socket_;
  const uint32_t incarnation_;
  uint64_t cell_ = 0;
  int64_t dropped_ = 0;   // in this cell
  int64_t received_ = 0;  // datagrams in this cell
  std::optional<FrameType> partial_type_;
  std::string partial_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_FRAME_CHANNEL_H_
