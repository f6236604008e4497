// Whole reads and writes, and datagrams with descriptors attached. All retry EINTR; none log.
#ifndef CELLBLOCK_SANDBOX_BASE_IO_H_
#define CELLBLOCK_SANDBOX_BASE_IO_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

// At most `limit` bytes; RESOURCE_EXHAUSTED if the file holds more.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit = 64 << 20);
// From where the descriptor stands; `name` is for errors.
absl::StatusOr<std::string> ReadOpenFile(int fd, absl::string_view name, size_t limit);
absl::StatusOr<std::string> ReadFileAt(int dir_fd, const char* name, size_t limit = 1 << 20);
absl::Status WriteAll(int fd, absl::string_view data);
absl::Status WriteFileAt(int dir_fd, const char* name, absl::string_view data);

struct Datagram {
  std::string data;
  std::vector<UniqueFd> fds;
  bool end = false;        // the peer is gone (an empty datagram is never sent)
  bool truncated = false;  // larger than the buffer
  bool fds_lost = false;   // more were sent than wanted, or than this process may have open
};

// Blocks unless `flags` has MSG_DONTWAIT (then UNAVAILABLE when there is none).
absl::StatusOr<Datagram> ReceiveDatagram(int socket, size_t max_size, size_t max_fds,
                                         int flags = 0);
absl::Status SendDatagram(int socket, absl::string_view data, absl::Span<const int> fds = {});

// A SEQPACKET pair and a pipe, close-on-exec.
absl::StatusOr<std::pair<UniqueFd, UniqueFd>> SocketPair();
absl::StatusOr<std::pair<UniqueFd, UniqueFd>> Pipe();  // read end, write end

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_BASE_IO_H_
