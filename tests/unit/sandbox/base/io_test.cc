#include "sandbox/base/io.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

#include "sandbox/base/status.h"
#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"

namespace cellblock {
namespace {

TEST_CASE("an errno becomes a status that names the operation and the object") {
  const absl::Status status = ErrnoStatus("open", "/x", ENOENT);
  CHECK(status.code() == absl::StatusCode::kNotFound);
  CHECK(status.message() == "open /x: No such file or directory");
}

TEST_CASE("a file above the limit is refused, not cut") {
  const TempDir dir;
  const std::string path = dir.path() + "/file";
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(WriteAll(fd.get(), std::string(100, 'x')).ok());
  CHECK(ReadFile(path, 100)->size() == 100);
  CHECK(ReadFile(path, 99).status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(ReadFile(path + "-none").status().code() == absl::StatusCode::kNotFound);
}

TEST_CASE("descriptors travel with a datagram and close with it") {
  absl::StatusOr<std::pair<UniqueFd, UniqueFd>> sockets = SocketPair();
  absl::StatusOr<std::pair<UniqueFd, UniqueFd>> pipe = Pipe();
  REQUIRE(sockets.ok());
  REQUIRE(pipe.ok());
  REQUIRE(SendDatagram(sockets->first.get(), "hello", {pipe->second.get()}).ok());
  pipe->second.reset();
  {
    absl::StatusOr<Datagram> datagram = ReceiveDatagram(sockets->second.get(), 100, 1);
    REQUIRE(datagram.ok());
    CHECK(datagram->data == "hello");
    REQUIRE(datagram->fds.size() == 1);
    CHECK(fcntl(datagram->fds[0].get(), F_GETFD) == FD_CLOEXEC);
    CHECK(WriteAll(datagram->fds[0].get(), "x").ok());
  }
  char byte;
  CHECK(read(pipe->first.get(), &byte, 1) == 1);
  CHECK(read(pipe->first.get(), &byte, 1) == 0);
}

TEST_CASE("a datagram larger than the buffer is marked, the end is told") {
  absl::StatusOr<std::pair<UniqueFd, UniqueFd>> sockets = SocketPair();
  REQUIRE(sockets.ok());
  REQUIRE(SendDatagram(sockets->first.get(), std::string(50, 'x')).ok());
  CHECK(ReceiveDatagram(sockets->second.get(), 10, 0)->truncated);
  CHECK(ReceiveDatagram(sockets->second.get(), 10, 0, MSG_DONTWAIT).status().code() ==
        absl::StatusCode::kUnavailable);
  sockets->first.reset();
  CHECK(ReceiveDatagram(sockets->second.get(), 10, 0)->end);
  CHECK_FALSE(SendDatagram(sockets->second.get(), "x").ok());
}

}  // namespace
}  // namespace cellblock
