// Hosts, private networks, binds, environment and time zone.
#include "sandbox/spec/host_pattern.h"
#include "sandbox/spec/policy.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

std::string ErrorOf(const std::string& text) {
  const absl::Status status = Policy::Parse(kMinimalPolicy + text, "F").status();
  CAPTURE(text);
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

std::string Allow(const std::string& host) {
  return "network { allow { reason: 'r' host: '" + host + "' } }";
}

TEST_CASE("hosts have a port and are written one way") {
  std::string hosts;
  for (const char* host : {"pypi.org:443", "*.example.com:80", "192.0.2.7:1", "[2001:db8::1]:65535",
                           "xn--bcher-kva.example:443"}) {
    hosts += "allow { reason: 'r' host: '" + std::string(host) + "' } ";
  }
  const auto policy = Policy::Parse(kMinimalPolicy + ("network { " + hosts + " }"), "F");
  INFO(policy.status().ToString());
  REQUIRE(policy.ok());
  CHECK(policy->allowed_hosts()[1].host == "*.example.com:80");
  CHECK(policy->allowed_hosts()[0].place.ToString() == "F:19");
  for (const char* host : {"",
                           "pypi.org",
                           "pypi.org:",
                           "pypi.org:0",
                           "pypi.org:65536",
                           "pypi.org:+1",
                           "pypi.org:x",
                           ":443",
                           "PyPI.org:443",
                           "pypi..org:443",
                           ".pypi.org:443",
                           "pypi.org.:443",
                           "-a.org:443",
                           "a-.org:443",
                           "*:443",
                           "*.org:443",
                           "a.*.org:443",
                           "**.a.org:443",
                           "https://pypi.org:443",
                           "pypi.org/x:443",
                           "10.0.0.300:443",
                           "1.2.3:443",
                           "2001:db8::1:443",
                           "[pypi.org]:443",
                           "[2001:db8::1:443",
                           "a b.org:443",
                           "\\xc3\\xa4.org:443",
                           "u@a.org:443"}) {
    CAPTURE(host);
    CHECK(ErrorOf(Allow(host)).rfind("F:19: network.allow[0].host: ", 0) == 0);
  }
  CHECK(ErrorOf(Allow(std::string(64, 'a') + ".org:443")).find("no host") != std::string::npos);
  CHECK(ErrorOf("network { allow { host: 'a.org:1' } }")
            .rfind("F:19: network.allow[0].reason: ", 0) == 0);
}

TEST_CASE("private hosts need their network named") {
  for (const char* host : {"localhost:80", "db:5432", "x.internal:80", "*.corp.local:80",
                           "metadata.google.internal:80", "127.0.0.1:80", "10.1.2.3:80",
                           "169.254.169.254:80", "[::1]:80", "[fd00::1]:80", "192.168.0.1:80",
                           "100.64.0.1:80", "0.0.0.0:80", "[::ffff:10.0.0.1]:80"}) {
    CAPTURE(host);
    CHECK(ErrorOf(Allow(host)).find("dangerous.private_networks") != std::string::npos);
  }
  const std::string ten = "dangerous { private_networks { reason: 'r' range: '10.0.0.0/8' } }";
  CHECK(Policy::Parse(kMinimalPolicy + Allow("10.1.2.3:80") + ten, "F").ok());
  CHECK(Policy::Parse(kMinimalPolicy + Allow("db:5432") + ten, "F").ok());
  CHECK(ErrorOf(Allow("192.168.0.1:80") + ten).find("private address") != std::string::npos);
}

TEST_CASE("private networks are private ranges") {
  for (const char* range :
       {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.1/8",
        "0.0.0.0/0", "::/0", "8.8.8.0/24", "fd00::/129", "db/8"}) {
    CAPTURE(range);
    CHECK(ErrorOf(Allow("db:1") + "dangerous { private_networks { reason: 'r' range: '" +
                  std::string(range) + "' } }")
              .find("dangerous.private_networks[0].range: ") != std::string::npos);
  }
}

TEST_CASE("patterns match what they say") {
  const HostPattern wide = *ParseHostPattern("*.example.com:443");
  CHECK(wide.Matches("a.example.com", 443));
  CHECK(wide.Matches("a.b.example.com", 443));
  CHECK_FALSE(wide.Matches("example.com", 443));
  CHECK_FALSE(wide.Matches("evil-example.com", 443));
  CHECK_FALSE(wide.Matches("a.example.com", 80));
  CHECK(wide.Covers(*ParseHostPattern("*.b.example.com:443")));
  CHECK_FALSE(ParseHostPattern("*.b.example.com:443")->Covers(wide));
}

TEST_CASE("variables are those that a request may set too") {
  for (const char* name : {"", "1A", "A B", "A=B", "LD_PRELOAD", "PYTHONPATH", "CELLBLOCK_X"}) {
    CAPTURE(name);
    CHECK(ErrorOf("environment { name: '" + std::string(name) + "' value: 'x' }")
              .rfind("F:19: environment[0].name: ", 0) == 0);
  }
  CHECK(ErrorOf("environment { name: 'A' value: 'a\\0b' }").find("NUL") != std::string::npos);
  CHECK(ErrorOf("environment { name: 'A' value: '1' }\nenvironment { name: 'A' value: '2' }")
            .rfind("F:20: environment[1].name: is set at F:19", 0) == 0);
  std::string many;
  for (int i = 0; i < 257; ++i) many += "environment { name: 'A" + std::to_string(i) + "' }";
  CHECK(ErrorOf(many).find("more than 256") != std::string::npos);
}

TEST_CASE("binds and time zones") {
  CHECK(ErrorOf("filesystem { read_only { reason: 'r' name: '../etc' } }")
            .rfind("F:19: filesystem.read_only[0].name: ", 0) == 0);
  CHECK(ErrorOf("filesystem { read_only { name: 'data' } }").find("reason") != std::string::npos);
  CHECK(
      ErrorOf(
          "filesystem { read_only { reason: 'r' name: 'a' } read_only { reason: 'r' name: 'a' } }")
          .find("already") != std::string::npos);
  CHECK(ErrorOf("time_zone: '../UTC'").rfind("F:19: time_zone: ", 0) == 0);
}

}  // namespace
}  // namespace cellblock
