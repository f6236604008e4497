// The daemon's policies: one folder, all of it right or none of it used.
#include "daemon/session/policy_catalog.h"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

void Write(const TempDir& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.path() + "/" + name) << text;
}

std::string ErrorOf(const TempDir& folder, const Limits& ceiling = {}) {
  const absl::Status status = PolicyCatalog::Load(folder.path(), ceiling).status();
  CHECK_FALSE(status.ok());
  return std::string(status.message());
}

TEST_CASE("text and JSON policies, and those that extend them, are compiled") {
  const TempDir folder;
  Write(folder, "test.textproto", kMinimalPolicy);
  Write(folder, "child.json", R"({"name": "child", "extends": "test"})");
  Write(folder, "notes.txt", "no policy");
  const auto catalog = PolicyCatalog::Load(folder.path());
  INFO(catalog.status().ToString());
  REQUIRE(catalog.ok());
  CHECK(catalog->all().size() == 2);
  REQUIRE(catalog->Find("child") != nullptr);
  CHECK_FALSE(catalog->Find("child")->seccomp_program.empty());
}

TEST_CASE("one bad policy stops them all, and is told by file and line") {
  const TempDir folder;
  CHECK(ErrorOf(folder).find("has no *.textproto") != std::string::npos);
  Write(folder, "test.textproto", kMinimalPolicy);
  Write(folder, "other.textproto", kMinimalPolicy);
  CHECK(ErrorOf(folder).find("in another file") != std::string::npos);
  Write(folder, "other.textproto", "nope: 1");
  CHECK(ErrorOf(folder).find("other.textproto:1: ") != std::string::npos);
  Write(folder, "other.textproto", PolicyWithRules("rules { reason: 'r' calls: 'mount' }"));
  CHECK(ErrorOf(folder).find("other.textproto:20: syscalls.rules[0].calls[0]: ") !=
        std::string::npos);
  std::filesystem::remove(folder.path() + "/other.textproto");
  std::filesystem::create_symlink("test.textproto", folder.path() + "/link.textproto");
  CHECK(ErrorOf(folder).find("symbolic link") != std::string::npos);
}

TEST_CASE("no policy is above the operator's ceiling") {
  const TempDir folder;
  Write(folder, "test.textproto", kMinimalPolicy);
  Limits ceiling;
  ceiling.pids = 10;
  CHECK(PolicyCatalog::Load(folder.path(), ceiling).ok());
  ceiling.pids = 9;
  CHECK(ErrorOf(folder, ceiling).find("test.textproto:4: limits.pids: 10 is more than") !=
        std::string::npos);
}

}  // namespace
}  // namespace cellblock
