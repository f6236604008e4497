#include "sandbox/spec/known_calls.h"

#include <set>
#include <string>

#include "sandbox/spec/syscall_groups.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

TEST_CASE("every group has a name, a description and calls of this architecture, once each") {
  std::set<std::string> names, calls;
  REQUIRE_FALSE(SyscallGroups().empty());
  for (const SyscallGroup& group : SyscallGroups()) {
    CAPTURE(group.name);
    CHECK(group.name[0] == '@');
    CHECK(names.insert(group.name).second);
    CHECK_FALSE(std::string(group.description).empty());
    CHECK_FALSE(group.calls.empty());
    CHECK(FindSyscallGroup(group.name) == &group);
    for (const char* call : group.calls) {
      CAPTURE(call);
      CHECK(CallNumber(call) >= 0);
      CHECK(calls.insert(call).second);
    }
  }
  CHECK(FindSyscallGroup("@none") == nullptr);
  CHECK(FindSyscallGroup("") == nullptr);
}

TEST_CASE("calls that libseccomp has no name for are known by number") {
  CHECK(CallNumber("read") == 0);
  CHECK(CallNumber("set_mempolicy_home_node") == kNewestKnownCall);
  CHECK(CallNumber("statmount") == 457);
  CHECK(IsKnownCall("socketcall"));     // of another architecture
  CHECK(CallNumber("socketcall") < 0);  // hence no number here
  CHECK_FALSE(IsKnownCall("no_such_call"));
  CHECK_FALSE(IsKnownCall(""));
  int last = kNewestKnownCall;
  for (const NewerCall& call : NewerCalls()) CHECK(call.number == ++last);
}

}  // namespace
}  // namespace cellblock
