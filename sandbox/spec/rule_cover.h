// Which argument tests leave nothing for others to do. Pure.
#ifndef CELLBLOCK_SANDBOX_SPEC_RULE_COVER_H_
#define CELLBLOCK_SANDBOX_SPEC_RULE_COVER_H_

#include <cstdint>
#include <vector>

#include "sandbox/spec/policy.h"

namespace cellblock {

bool Holds(const ArgumentTest& test, uint64_t argument);

// Both may miss an odd case, and never claim what is not so.
// No call meets all of the tests.
bool NeverMatches(const std::vector<ArgumentTest>& tests);
// Every call that meets all of `narrow` meets all of `wide`.
bool Implies(const std::vector<ArgumentTest>& narrow, const std::vector<ArgumentTest>& wide);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_RULE_COVER_H_
