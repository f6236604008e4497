#include "sandbox/launcher/image.h"

#include <unistd.h>

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"

namespace cellblock::launcher {
namespace {

TEST_CASE("a dir: image must lie below an approved root, with links resolved") {
  const TempDir dir;
  std::filesystem::create_directories(dir.path() + "/images/good");
  std::filesystem::create_directories(dir.path() + "/images-not/bad");
  std::filesystem::create_symlink("/etc", dir.path() + "/images/link");
  Settings settings;
  settings.image_roots = {dir.path() + "/images"};
  const auto open = [&](const std::string& path) {
    return OpenImage("dir:" + path, settings, "", "").status().code();
  };
  CHECK(open(dir.path() + "/images/good") == absl::StatusCode::kOk);
  CHECK(open(dir.path() + "/images") == absl::StatusCode::kOk);
  for (const std::string& path :
       {dir.path() + "/images-not/bad", dir.path() + "/images/link", dir.path() + "/images/..",
        dir.path() + "/images/../images-not/bad", std::string("/"), std::string(""),
        dir.path() + "/images/missing"}) {
    CAPTURE(path);
    CHECK(open(path) == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("no approved root means no dir: image; the host image can be switched off") {
  const Settings settings;
  CHECK_FALSE(OpenImage("dir:/usr", settings, "", "").ok());
  CHECK_FALSE(OpenImage("host", settings, "/", "").ok());
  CHECK_FALSE(OpenImage("", settings, "", "").ok());
}

TEST_CASE("the host root holds only the named parts of /etc") {
  const TempDir dir;
  REQUIRE(BuildHostRoot(dir.path()).ok());
  for (const auto& entry : std::filesystem::directory_iterator(dir.path() + "/etc")) {
    const std::string name = entry.path().filename();
    CAPTURE(name);
    CHECK(name != "passwd");
    CHECK(name != "shadow");
    CHECK(name != "hosts");
  }
  CHECK_FALSE(std::filesystem::exists(dir.path() + "/etc/ssl/private"));
  CHECK_FALSE(std::filesystem::exists(dir.path() + "/home"));
}

}  // namespace
}  // namespace cellblock::launcher
