#include "sandbox/runtime/denials.h"

#include <cerrno>

#include "tests/support/catch.h"

namespace cellblock {
namespace {

Limits SomeLimits() {
  Limits limits;
  limits.memory_bytes = 1000;
  limits.pids = 7;
  limits.disk_bytes = 2000;
  limits.open_files = 64;
  limits.file_size_bytes = 3000;
  return limits;
}

std::string RuleOf(int number, const std::string& path = "") {
  CellError error;
  error.os_errno = number;
  error.os_path = path;
  const auto denials = DenialsOf(error, SomeLimits());
  return denials.empty() ? "" : denials[0].rule;
}

TEST_CASE("the rule behind every number") {
  CHECK(RuleOf(0) == "");
  CHECK(RuleOf(ENOENT, "/etc/shadow") == "");
  CHECK(RuleOf(EROFS, "/usr/x") == "filesystem");
  CHECK(RuleOf(EACCES, "/usr/x") == "filesystem");
  CHECK(RuleOf(EACCES, "/workshop") == "filesystem");
  CHECK(RuleOf(EACCES, "/work/x") == "");
  CHECK(RuleOf(EACCES, "x") == "");
  CHECK(RuleOf(EPERM) == "syscalls");
  CHECK(RuleOf(EFBIG) == "limits.file_size_bytes");
  CHECK(RuleOf(EMFILE) == "limits.open_files");
  CHECK(RuleOf(ENETUNREACH) == "network.allow");
  CHECK(RuleOf(EHOSTUNREACH) == "network.allow");
  CHECK(RuleOf(ECONNREFUSED) == "");  // loopback, where nobody listens
}

TEST_CASE("a network attempt names host, rule and remedy") {
  CellError error;
  error.unresolved = true;
  error.os_target = "example.org:443";
  const auto denials = DenialsOf(error, SomeLimits());
  REQUIRE(denials.size() == 1);
  CHECK(denials[0].rule == "network.allow");
  CHECK(denials[0].subject == "example.org:443");
  CHECK(denials[0].remedy.find("upload") != std::string::npos);
  CHECK(denials[0].count == 1);
}

TEST_CASE("what ran out is told with its limit") {
  CellError error;
  error.memory = true;
  CHECK(DenialsOf(error, SomeLimits())[0].reason.find("1000") != std::string::npos);
  error = {};
  error.disk_full = true;
  error.os_errno = ENOSPC;
  error.os_path = "big";
  const Denial full = DenialsOf(error, SomeLimits())[0];
  CHECK(full.rule == "limits.disk_bytes");
  CHECK(full.subject == "big");
  error = {};
  error.no_processes = true;
  CHECK(DenialsOf(error, SomeLimits())[0].rule == "limits.pids");
}

}  // namespace
}  // namespace cellblock
