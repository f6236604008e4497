#include "sandbox/launcher/settings.h"

#include "tests/support/catch.h"

namespace cellblock::launcher {
namespace {

constexpr char kPaths[] = "init_path: '/i' worker_dir: '/w' ";

TEST_CASE("settings have defaults that work") {
  const absl::StatusOr<Settings> settings = ParseSettings(kPaths);
  REQUIRE(settings.ok());
  CHECK(settings->run_dir == "/run/cellblock");
  CHECK(settings->uid_base > 65535);
  CHECK(settings->max_sandboxes > 0);
  CHECK_FALSE(settings->host_image);
  CHECK(settings->image_roots.empty());
  CHECK_FALSE(settings->cgroups_required);
}

TEST_CASE("wrong settings are refused by field") {
  struct Case {
    const char* text;
    const char* field;
  };
  const Case cases[] = {
      {"init_path: 'i' worker_dir: '/w'", "init_path"},
      {"init_path: '/i'", "worker_dir"},
      {"init_path: '/i' worker_dir: '/w' run_dir: 'r'", "run_dir"},
      {"init_path: '/i' worker_dir: '/w' image_roots: 'images'", "image_roots"},
      {"init_path: '/i' worker_dir: '/w' uid_base: 1000", "uid_base"},
      {"init_path: '/i' worker_dir: '/w' uid_base: 4294967295 uid_count: 8", "uid_count"},
      {"init_path: '/i' worker_dir: '/w' uid_base: 100000 uid_count: 2", "uid_count"},
      {"no_such_field: 1", "text format"},
  };
  for (const Case& wrong : cases) {
    const absl::StatusOr<Settings> settings = ParseSettings(wrong.text);
    CAPTURE(wrong.text);
    REQUIRE(settings.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK(std::string(settings.status().message()).find(wrong.field) != std::string::npos);
  }
}

}  // namespace
}  // namespace cellblock::launcher
