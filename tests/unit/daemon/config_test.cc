// The configuration file, its defaults and its errors.
#include "daemon/config/daemon_config.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

bool Has(absl::string_view text, absl::string_view part) {
  return text.find(part) != absl::string_view::npos;
}

TEST_CASE("an empty file works") {
  const auto settings = ParseSettings("", "f", "/opt/cb", {});
  REQUIRE(settings.ok());
  CHECK(settings->socket == "/run/cellblock/cellblockd.sock");
  CHECK(settings->state_dir == "/var/lib/cellblock");
  CHECK(settings->policy_dir == "/opt/cb/share/cellblock/policies");
  CHECK(settings->default_image == "host");
  CHECK(settings->max_sessions == 64);
  CHECK(settings->retention_time == absl::Minutes(10));
  CHECK(settings->self_test);
  CHECK(Has(settings->launcher_config, "host_image: true"));
  CHECK(Has(settings->launcher_config, "max_sandboxes: 65"));
  CHECK(Has(settings->launcher_config, "worker_dir: \"/opt/cb/share/cellblock/worker\""));
  CHECK(settings->fallback_uid >= 65536);
}

TEST_CASE("the file's values are taken, and the command line wins where it may") {
  DaemonOverrides overrides;
  overrides.socket = "/tmp/x/s.sock";
  overrides.embedded = true;
  const auto settings = ParseSettings(
      "socket: '/run/a.sock' state_dir: '/srv/state' max_sessions: 3\n"
      "default_idle_ttl { seconds: 5 nanos: 500000000 }\n"
      "launcher { uid_base: 100000 image_roots: '/srv/images' }",
      "f", "/opt/cb", overrides);
  REQUIRE(settings.ok());
  CHECK(settings->socket == "/tmp/x/s.sock");
  CHECK(settings->state_dir == "/srv/state");
  CHECK(settings->max_sessions == 3);
  CHECK(settings->default_idle_ttl == absl::Milliseconds(5500));
  CHECK(settings->fallback_uid == 100000);
  CHECK_FALSE(settings->self_test);
  CHECK(Has(settings->launcher_config, "state_dir: \"/srv/state\""));
  CHECK_FALSE(Has(settings->launcher_config, "host_image"));
}

TEST_CASE("errors name the file and the place or the field") {
  const auto unknown = ParseSettings("max_sessions: 3\nno_such: 1", "my.conf", "/", {});
  CHECK(Has(unknown.status().message(), "my.conf:2"));
  const auto negative = ParseSettings("max_sessions: -1", "my.conf", "/", {});
  CHECK(Has(negative.status().message(), "max_sessions"));
  const auto relative = ParseSettings("state_dir: 'here'", "my.conf", "/", {});
  CHECK(Has(relative.status().message(), "state_dir"));
  const auto duration = ParseSettings("drain_deadline { seconds: -2 }", "my.conf", "/", {});
  CHECK(Has(duration.status().message(), "drain_deadline"));
}

TEST_CASE("the operator's ceiling reaches the policies") {
  const auto settings =
      ParseSettings("launcher { ceiling { pids: 7 memory_bytes: 9 } }", "F", "/usr", {});
  REQUIRE(settings.ok());
  CHECK(settings->ceiling.pids == 7);
  CHECK(settings->ceiling.memory_bytes == 9);
  CHECK(settings->ceiling.disk_bytes == 0);
}

}  // namespace
}  // namespace cellblock
