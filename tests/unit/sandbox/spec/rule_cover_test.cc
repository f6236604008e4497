// What rule_cover claims must be so for every argument: random tests against brute force.
#include "sandbox/spec/rule_cover.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"

namespace cellblock {
namespace {

using Comparison = ArgumentTest::Comparison;

constexpr int kRounds = 20000;
constexpr uint64_t kValues[] = {0, 1, 2, 3, 0xffffffff, 0x100000000, 0x100000001, 0x100000002};

ArgumentTest RandomTest(std::mt19937& random) {
  ArgumentTest test;
  test.low_32_bits = random() % 2 == 0;
  const uint64_t width = test.low_32_bits ? UINT32_MAX : UINT64_MAX;
  const auto pick = [&] { return kValues[random() % std::size(kValues)] & width; };
  test.comparison = static_cast<Comparison>(random() % 4);
  switch (test.comparison) {
    case Comparison::kEqual:
      test.value = pick();
      break;
    case Comparison::kMaskedEqual:
      test.mask = pick() | 1;
      test.value = pick() & test.mask;
      break;
    default:
      for (unsigned count = 1 + random() % 3; count > 0; --count) test.values.push_back(pick());
  }
  return test;
}

std::vector<ArgumentTest> RandomTests(std::mt19937& random) {
  std::vector<ArgumentTest> tests;
  for (unsigned count = random() % 3; count > 0; --count) tests.push_back(RandomTest(random));
  return tests;
}

bool Meets(const std::vector<ArgumentTest>& tests, uint64_t argument) {
  return std::all_of(tests.begin(), tests.end(),
                     [&](const ArgumentTest& test) { return Holds(test, argument); });
}

TEST_CASE("what is claimed of tests holds for every argument") {
  std::mt19937 random(3);
  int implied = 0, never = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<ArgumentTest> narrow = RandomTests(random), wide = RandomTests(random);
    const bool claims_implied = Implies(narrow, wide), claims_never = NeverMatches(narrow);
    implied += claims_implied && !wide.empty();
    never += claims_never;
    for (const uint64_t argument : kValues) {
      CAPTURE(round, argument);
      if (claims_implied && Meets(narrow, argument)) REQUIRE(Meets(wide, argument));
      if (claims_never) REQUIRE_FALSE(Meets(narrow, argument));
    }
  }
  // It also finds some.
  CHECK(implied > 500);
  CHECK(never > 500);
}

}  // namespace
}  // namespace cellblock
