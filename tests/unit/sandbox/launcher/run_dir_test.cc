#include "sandbox/launcher/run_dir.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"

namespace cellblock::launcher {
namespace {

TEST_CASE("dead runs are removed and counted, live ones are left alone") {
  const TempDir dir;
  std::string dead_path;
  {
    const absl::StatusOr<RunDir> dead = MakeRunDir(dir.path());
    REQUIRE(dead.ok());
    dead_path = dead->path;
  }  // its lock is let go, its folder stays, as after kill -9
  const absl::StatusOr<RunDir> live = MakeRunDir(dir.path());
  const absl::StatusOr<RunDir> own = MakeRunDir(dir.path());
  REQUIRE(live.ok());
  REQUIRE(own.ok());
  CHECK(RemoveDeadRuns(dir.path(), *own, -1) == 1);
  CHECK_FALSE(std::filesystem::exists(dead_path));
  CHECK(std::filesystem::exists(live->path));
  CHECK(std::filesystem::exists(own->path));
  RemoveRun(*own, -1);
  CHECK_FALSE(std::filesystem::exists(own->path));
}

}  // namespace
}  // namespace cellblock::launcher
