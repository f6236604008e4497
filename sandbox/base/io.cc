#include "sandbox/base/io.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr size_t kMaxFds = 16;

}  // namespace

absl::StatusOr<std::string> ReadOpenFile(int fd, absl::string_view name, size_t limit) {
  std::string data;
  std::array<char, 65536> buffer;
  for (;;) {
    ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus("read", name, errno);
    if (count == 0) return data;
    if (data.size() + count > limit) {
      return absl::ResourceExhaustedError(
          absl::StrCat("read ", name, ": more than ", limit, " bytes"));
    }
    data.append(buffer.data(), count);
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open", path, errno);
  return ReadOpenFile(fd.get(), path, limit);
}

absl::StatusOr<std::string> ReadFileAt(int dir_fd, const char* name, size_t limit) {
  UniqueFd fd(openat(dir_fd, name, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open", name, errno);
  return ReadOpenFile(fd.get(), name, limit);
}

absl::Status WriteAll(int fd, absl::string_view data) {
  while (!data.empty()) {
    ssize_t count = write(fd, data.data(), data.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus("write", "", errno);
    data.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status WriteFileAt(int dir_fd, const char* name, absl::string_view data) {
  UniqueFd fd(openat(dir_fd, name, O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open", name, errno);
  ssize_t count;
  do count = write(fd.get(), data.data(), data.size());
  while (count < 0 && errno == EINTR);
  if (count < 0) return ErrnoStatus(absl::StrCat("write ", data, " to"), name, errno);
  if (static_cast<size_t>(count) != data.size()) return ErrnoStatus("write", name, EIO);
  return absl::OkStatus();
}

absl::StatusOr<Datagram> ReceiveDatagram(int socket, size_t max_size, size_t max_fds, int flags) {
  Datagram datagram;
  datagram.data.resize(max_size);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)];
  iovec part{datagram.data.data(), max_size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * (max_fds < kMaxFds ? max_fds : kMaxFds));
  ssize_t count;
  do count = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count < 0) return ErrnoStatus("recvmsg", "", errno);
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t total = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < total; ++i) {
      int fd;
      memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      datagram.fds.emplace_back(fd);
    }
  }
  datagram.truncated = (message.msg_flags & MSG_TRUNC) != 0;
  datagram.fds_lost = (message.msg_flags & MSG_CTRUNC) != 0;
  datagram.end = count == 0;
  datagram.data.resize(count);
  return datagram;
}

absl::Status SendDatagram(int socket, absl::string_view data, absl::Span<const int> fds) {
  if (fds.size() > kMaxFds) return absl::InternalError("too many descriptors in one datagram");
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)] = {};
  iovec part{const_cast<char*>(data.data()), data.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  ssize_t count;
  do count = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  if (count < 0) return ErrnoStatus("sendmsg", "", errno);
  return absl::OkStatus();
}

absl::StatusOr<std::pair<UniqueFd, UniqueFd>> SocketPair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
    return ErrnoStatus("socketpair", "", errno);
  }
  return std::make_pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

absl::StatusOr<std::pair<UniqueFd, UniqueFd>> Pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) < 0) return ErrnoStatus("pipe2", "", errno);
  return std::make_pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

}  // namespace cellblock
