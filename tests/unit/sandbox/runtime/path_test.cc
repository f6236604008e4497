#include <string>
#include <vector>

#include "sandbox/runtime/init_client.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

TEST_CASE("paths that name a place below the work folder") {
  const std::vector<std::string> good = {"a",
                                         "a/b",
                                         ".a",
                                         "..a",
                                         "a..",
                                         "...",
                                         "a/...",
                                         "a b",
                                         "\xff\xfe",
                                         "new\nline",
                                         std::string(255, 'x'),
                                         std::string(255, 'x') + "/" + std::string(255, 'y')};
  for (const std::string& path : good) {
    CAPTURE(path);
    CHECK(CheckSandboxPath(path).ok());
  }
}

TEST_CASE("paths that are refused") {
  std::string deep;  // 4097 bytes in short parts
  while (deep.size() < 4096) deep += "d/";
  deep += "d";
  const std::vector<std::string> bad = {"",
                                        "/",
                                        "/etc/passwd",
                                        ".",
                                        "..",
                                        "../x",
                                        "a/../b",
                                        "a/..",
                                        "./a",
                                        "a/.",
                                        "a//b",
                                        "a/",
                                        "//a",
                                        std::string("a\0b", 3),
                                        std::string(1, '\0'),
                                        std::string(256, 'x'),
                                        "a/" + std::string(256, 'x'),
                                        deep};
  for (const std::string& path : bad) {
    CAPTURE(path);
    const absl::Status status = CheckSandboxPath(path);
    CHECK(absl::IsInvalidArgument(status));
    CHECK(status.message().size() < 500);
  }
}

TEST_CASE("the longest path has 4095 bytes") {
  std::string path;
  while (path.size() < 4094) path += "d/";
  path.resize(4094);
  path.back() = 'd';
  CHECK(CheckSandboxPath(path + "d").ok());
  CHECK_FALSE(CheckSandboxPath(path + "dd").ok());
}

}  // namespace
}  // namespace cellblock
