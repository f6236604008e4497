// Log lines cannot be forged by a value.
#include "daemon/observe/log.h"

#include "tests/support/catch.h"

namespace cellblock {
namespace {

TEST_CASE("plain values stand bare, all others are quoted and escaped") {
  CHECK(FormatLogLine(LogLevel::kInfo, "serving", {{"socket", "/run/s"}, {"n", 3}}) ==
        "info serving socket=/run/s n=3");
  CHECK(FormatLogLine(LogLevel::kError, "e", {{"why", "a b\nerror forged=1"}}) ==
        "error e why=\"a b\\nerror forged=1\"");
  CHECK(FormatLogLine(LogLevel::kWarning, "e", {{"why", ""}}) == "warning e why=\"\"");
}

TEST_CASE("a value is cut to a sensible length") {
  CHECK(FormatLogLine(LogLevel::kInfo, "e", {{"v", std::string(100000, 'x')}}).size() < 1000);
}

}  // namespace
}  // namespace cellblock
