// The daemon's folders: what is taken, what is refused, and that a second daemon stays out.
#include "daemon/host/places.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    char name[] = "/tmp/cellblock-places-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  mode_t ModeOf(const std::string& name) const {
    struct stat status = {};
    stat((path + name).c_str(), &status);
    return status.st_mode & 07777;
  }
  std::string path;
};

Identity Self() {
  return {geteuid(), getegid()};
}

UniqueFd Listen(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(fd.get(), 1) == 0);
  return fd;
}

TEST_CASE("the state folder is made with what is above it, and only one daemon has it") {
  Folder folder;
  const std::string state = folder.path + "/a/state";
  {
    const auto first = LockStateDir(state, Self());
    REQUIRE(first.ok());
    CHECK(folder.ModeOf("/a/state") == 0755);
    const auto second = LockStateDir(state, Self());
    CHECK(second.status().code() == absl::StatusCode::kFailedPrecondition);
    CHECK(std::string(second.status().message()).find(std::to_string(getpid())) !=
          std::string::npos);
  }
  CHECK(LockStateDir(state, Self()).ok());
}

TEST_CASE("a link in place of the state folder is not followed") {
  Folder folder;
  fs::create_directory(folder.path + "/real");
  fs::create_symlink("real", folder.path + "/state");
  CHECK_FALSE(LockStateDir(folder.path + "/state", Self()).ok());
}

TEST_CASE("a folder of somebody else is not taken over") {
  Folder folder;
  fs::create_directory(folder.path + "/shared");
  fs::permissions(folder.path + "/shared", fs::perms(0755));
  const Identity other = {geteuid() + 12345, getegid() + 12345};
  CHECK(PrepareSocketFolder(folder.path + "/shared/s", other, std::nullopt).code() ==
        absl::StatusCode::kFailedPrecondition);
  CHECK(folder.ModeOf("/shared") == 0755);
}

TEST_CASE("the socket's folder is private when it is made, and left alone when it was there") {
  Folder folder;
  REQUIRE(PrepareSocketFolder(folder.path + "/new/s", Self(), std::nullopt).ok());
  CHECK(folder.ModeOf("/new") == 0700);
  fs::create_directory(folder.path + "/own");
  fs::permissions(folder.path + "/own", fs::perms(0755));
  REQUIRE(PrepareSocketFolder(folder.path + "/own/s", Self(), std::nullopt).ok());
  CHECK(folder.ModeOf("/own") == 0755);
  REQUIRE(PrepareSocketFolder(folder.path + "/grp/s", Self(), getegid()).ok());
  CHECK(folder.ModeOf("/grp") == 02750);
}

TEST_CASE("a socket path that the kernel could not take is refused") {
  CHECK(PrepareSocketFolder("/" + std::string(200, 'x') + "/s", Self(), std::nullopt).code() ==
        absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a stale socket is removed, a served one and a file are not") {
  Folder folder;
  const std::string path = folder.path + "/s";
  CHECK(RemoveStaleSocket(path).ok());
  {
    const UniqueFd served = Listen(path);
    CHECK(RemoveStaleSocket(path).code() == absl::StatusCode::kFailedPrecondition);
  }
  CHECK(RemoveStaleSocket(path).ok());
  CHECK_FALSE(fs::exists(path));
  std::ofstream(path) << "x";
  CHECK(RemoveStaleSocket(path).code() == absl::StatusCode::kFailedPrecondition);
  CHECK(fs::exists(path));
}

}  // namespace
}  // namespace cellblock
