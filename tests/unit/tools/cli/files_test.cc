#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/tools/fake_runtime.h"
#include "tools/cli/files/work_dir.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

void Write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
  REQUIRE(WriteAll(file.get(), text).ok());
}

TEST_CASE("names that leave the folder are unsafe") {
  for (const char* name : {"a", "a/b.txt", "..a", "a..", "\xff\x01", "a b"}) {
    CHECK(IsSafeName(name));
  }
  for (const char* name : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "../a"}) {
    CAPTURE(name);
    CHECK_FALSE(IsSafeName(name));
  }
  CHECK_FALSE(IsSafeName(absl::string_view("a\0b", 3)));
}

TEST_CASE("a folder's regular files are listed, ways out are not taken") {
  const TempDir dir, outside;
  Write(dir.path() + "/b.txt", "b");
  Write(dir.path() + "/sub/a.txt", "aa");
  Write(dir.path() + "/\xff name", "");
  Write(dir.path() + "/.git/config", "x");
  Write(dir.path() + "/sub/__pycache__/c.pyc", "x");
  Write(outside.path() + "/secret", "s");
  REQUIRE(symlink("b.txt", (dir.path() + "/inside").c_str()) == 0);
  REQUIRE(symlink((outside.path() + "/secret").c_str(), (dir.path() + "/out").c_str()) == 0);
  REQUIRE(symlink("../../etc/passwd", (dir.path() + "/up").c_str()) == 0);
  REQUIRE(symlink(outside.path().c_str(), (dir.path() + "/out-folder").c_str()) == 0);
  REQUIRE(mkfifo((dir.path() + "/fifo").c_str(), 0600) == 0);
  const auto tree = LocalTree::Open(dir.path());
  REQUIRE(tree.ok());
  const auto listing = tree->List();
  REQUIRE(listing.ok());
  std::vector<std::string> names;
  for (const LocalFile& file : listing->files) names.push_back(file.path);
  CHECK(names == std::vector<std::string>{"b.txt", "inside", "sub/a.txt", "\xff name"});
  CHECK(listing->left_out.size() == 4);
  CHECK_FALSE(tree->OpenFile("out").ok());
  CHECK_FALSE(tree->OpenFile("../x").ok());
  CHECK_FALSE(tree->OpenFile("out-folder/secret").ok());
}

TEST_CASE("a file is replaced whole, or not at all, and never through a link") {
  const TempDir dir, outside;
  Write(outside.path() + "/target", "old");
  REQUIRE(symlink((outside.path() + "/target").c_str(), (dir.path() + "/link").c_str()) == 0);
  REQUIRE(symlink(outside.path().c_str(), (dir.path() + "/folder").c_str()) == 0);
  Write(dir.path() + "/kept", "kept");
  const auto tree = LocalTree::Open(dir.path());
  REQUIRE(tree.ok());
  const auto fill = [](int fd) { return WriteAll(fd, "new"); };
  CHECK(tree->Replace("deep/er/file", 0755, fill).ok());
  CHECK(*ReadFile(dir.path() + "/deep/er/file") == "new");
  struct stat status;
  REQUIRE(stat((dir.path() + "/deep/er/file").c_str(), &status) == 0);
  CHECK((status.st_mode & 0100) != 0);
  CHECK(tree->Replace("link", 0644, fill).ok());
  CHECK(*ReadFile(outside.path() + "/target") == "old");
  CHECK_FALSE(tree->Replace("folder/target", 0644, fill).ok());
  CHECK_FALSE(tree->Replace("../escape", 0644, fill).ok());
  CHECK_FALSE(tree->Replace("kept", 0644,
                            [](int fd) {
                              WriteAll(fd, "half").IgnoreError();
                              return absl::DataLossError("broken off");
                            })
                  .ok());
  CHECK(*ReadFile(dir.path() + "/kept") == "kept");
  REQUIRE(stat((dir.path() + "/kept").c_str(), &status) == 0);
  CHECK(tree->Replace("kept", 0644, fill).ok());
  struct stat after;
  REQUIRE(stat((dir.path() + "/kept").c_str(), &after) == 0);
  CHECK(after.st_mode == status.st_mode);
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
    CHECK(entry.path().filename().native().rfind(".cellblock-", 0) != 0);
  }
}

TEST_CASE("what changed is found by size and time") {
  const Stamps before = {
      {"same", {1, 1}}, {"grown", {1, 1}}, {"touched", {1, 1}}, {"gone", {1, 1}}};
  const Stamps after = {{"same", {1, 1}}, {"grown", {2, 1}}, {"touched", {1, 2}}, {"new", {0, 0}}};
  const Changes changes = Compare(before, after);
  CHECK(changes.written == std::vector<std::string>{"grown", "new", "touched"});
  CHECK(changes.deleted == std::vector<std::string>{"gone"});
}

TEST_CASE("a work folder goes in and what the cells did comes back") {
  FakeRuntime server;
  auto client = SandboxClient::Connect(server.address(), ClientOptions());
  REQUIRE(client.ok());
  const TempDir dir;
  Write(dir.path() + "/data.csv", "1,2");
  Write(dir.path() + "/old.txt", "old");
  auto work = WorkDir::Open(dir.path());
  REQUIRE(work.ok());
  REQUIRE(work->Stage(client->get(), "session").ok());
  CHECK(server.files["data.csv"] == "1,2");
  server.files["out/result.txt"] = "made";
  server.files["data.csv"] = "1,2,3";
  server.files["../evil"] = "no";
  server.files["__pycache__/x.pyc"] = "no";
  server.files.erase("old.txt");
  auto brought = work->BringBack(client->get(), "session", Deleted::kKeep);
  REQUIRE(brought.ok());
  CHECK(brought->written == std::vector<std::string>{"data.csv", "out/result.txt"});
  CHECK(brought->left_out.size() == 1);
  CHECK(*ReadFile(dir.path() + "/out/result.txt") == "made");
  CHECK(*ReadFile(dir.path() + "/data.csv") == "1,2,3");
  CHECK(brought->deleted == std::vector<std::string>{"old.txt"});
  CHECK(fs::exists(dir.path() + "/old.txt"));
  REQUIRE(work->BringBack(client->get(), "session", Deleted::kRemove).ok());
  CHECK_FALSE(fs::exists(dir.path() + "/old.txt"));
}

}  // namespace
}  // namespace cellblock::cli
