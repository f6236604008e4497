// Parts of a policy in words, for explain and diff.
#ifndef CELLBLOCK_TOOLS_CLI_POLICY_DESCRIBE_H_
#define CELLBLOCK_TOOLS_CLI_POLICY_DESCRIBE_H_

#include <string>
#include <vector>

#include "sandbox/spec/policy.h"

namespace cellblock::cli {

// One number or switch of a policy.
struct PolicyValue {
  std::string field;   // "limits.memory_bytes"
  std::string text;    // "2147483648 (2.0 GiB)", "600s", "no limit"
  int64_t amount = 0;  // to compare by: more lets more happen; INT64_MAX = no limit
  SourcePlace place;   // no line: nobody has set it
};

// Limits, output caps, file system and time zone.
std::vector<PolicyValue> ValuesOf(const Policy& policy);

// "python.textproto:12"; the folder is shown only for files that are not installed policies.
std::string ShortPlace(const SourcePlace& place);

// "argument 1 is FIONREAD, FIONBIO or 0x1234".
std::string DescribeTest(const std::string& call, const ArgumentTest& test);
// All of a rule's tests, "" if it has none.
std::string DescribeTests(const std::string& call, const SyscallRule& rule);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_POLICY_DESCRIBE_H_
