// Policies on a real file system: what is no policy file, and where parents are looked for.
#include "sandbox/spec/policy_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "sandbox/spec/load_policy.h"
#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

TEST_CASE("only a regular file is read") {
  const TempDir folder;
  Write(folder.path() + "/test.textproto", kMinimalPolicy);
  std::filesystem::create_symlink("test.textproto", folder.path() + "/link.textproto");
  REQUIRE(mkfifo((folder.path() + "/pipe.textproto").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder.path() + "/folder.textproto");
  Write(folder.path() + "/big.textproto", std::string(10 << 20, ' '));
  CHECK(Policy::Load(folder.path() + "/test.textproto").ok());
  for (const auto& [name, says] : {std::pair("link", "symbolic link"),
                                   {"pipe", "regular"},
                                   {"folder", "regular"},
                                   {"big", "1 MiB"}}) {
    const absl::Status status = Policy::Load(folder.path() + "/" + name + ".textproto").status();
    CAPTURE(status.ToString());
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(std::string(status.message()).find(says) != std::string::npos);
  }
}

TEST_CASE("parents are found by name, in the policy's own folder first") {
  const TempDir own, shared;
  Write(shared.path() + "/test.textproto", kMinimalPolicy);
  Write(own.path() + "/child.textproto", "name: 'child' extends: 'test'");
  std::vector<PolicyFinding> findings;
  const std::string child = own.path() + "/child.textproto";
  CHECK(LoadPolicy(child, {shared.path()}, &findings).ok());
  const absl::Status missing = LoadPolicy(child, {}, &findings).status();
  CHECK(missing.message() ==
        child + ":1: extends: no test.textproto or test.json in " + own.path());
  Write(own.path() + "/test.textproto", PolicyWith("pids: 10", "pids: 11"));
  findings.clear();
  CHECK(LoadPolicy(child, {shared.path()}, &findings)->limits().pids == 11);
  Write(own.path() + "/test.json", "{}");
  CHECK(LoadPolicy(child, {shared.path()}, &findings).status().message().find("both") !=
        absl::string_view::npos);
}

TEST_CASE("a name is no path") {
  for (const char* name : {"", "../x", "/etc/passwd", "a/b", "A", "x y"}) {
    CHECK(FindPolicyFile(name, {"."}).status().code() == absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace cellblock
