#include "sandbox/spec/rule_cover.h"

#include <algorithm>

namespace cellblock {
namespace {

using Comparison = ArgumentTest::Comparison;

bool IsList(const ArgumentTest& test) {
  return test.comparison == Comparison::kOneOf || test.comparison == Comparison::kEqual;
}

std::vector<uint64_t> ListOf(const ArgumentTest& test) {
  return test.comparison == Comparison::kOneOf ? test.values : std::vector<uint64_t>{test.value};
}

// The bits that the test looks at.
uint64_t WidthOf(const ArgumentTest& test) {
  const uint64_t width = test.low_32_bits ? UINT32_MAX : UINT64_MAX;
  return test.comparison == Comparison::kMaskedEqual ? test.mask & width : width;
}

bool TestImplies(const ArgumentTest& narrow, const ArgumentTest& wide) {
  if (narrow.argument != wide.argument) return false;
  // What `wide` looks at must be decided by `narrow`.
  if ((WidthOf(wide) & ~WidthOf(narrow)) != 0) return false;
  if (IsList(narrow)) {
    const std::vector<uint64_t> values = ListOf(narrow);
    return std::all_of(values.begin(), values.end(),
                       [&](uint64_t value) { return Holds(wide, value); });
  }
  if (narrow.comparison == Comparison::kMaskedEqual) {
    return wide.comparison == Comparison::kMaskedEqual &&
           (narrow.value & WidthOf(wide)) == wide.value;
  }
  // Neither is in these lists; the longer one says more.
  return wide.comparison == Comparison::kNoneOf && WidthOf(wide) == WidthOf(narrow) &&
         std::all_of(wide.values.begin(), wide.values.end(), [&](uint64_t value) {
           return std::find(narrow.values.begin(), narrow.values.end(), value) !=
                  narrow.values.end();
         });
}

// `list` is a list test: is none of its values left by `other`?
bool Exclude(const ArgumentTest& list, const ArgumentTest& other) {
  if (!IsList(list) || list.argument != other.argument) return false;
  if ((WidthOf(other) & ~WidthOf(list)) != 0) return false;
  const std::vector<uint64_t> values = ListOf(list);
  return std::none_of(values.begin(), values.end(),
                      [&](uint64_t value) { return Holds(other, value); });
}

}  // namespace

bool Holds(const ArgumentTest& test, uint64_t argument) {
  const uint64_t masked = argument & WidthOf(test);
  const auto listed = [&] {
    return std::find(test.values.begin(), test.values.end(), masked) != test.values.end();
  };
  switch (test.comparison) {
    case Comparison::kOneOf:
      return listed();
    case Comparison::kNoneOf:
      return !listed();
    default:
      return masked == test.value;
  }
}

bool NeverMatches(const std::vector<ArgumentTest>& tests) {
  for (const ArgumentTest& test : tests) {
    for (const ArgumentTest& other : tests) {
      if (Exclude(test, other)) return true;
      // Two masks that want different values of the same bits.
      if (test.argument == other.argument && test.comparison == Comparison::kMaskedEqual &&
          other.comparison == Comparison::kMaskedEqual) {
        const uint64_t both = WidthOf(test) & WidthOf(other);
        if ((test.value & both) != (other.value & both)) return true;
      }
    }
  }
  return false;
}

bool Implies(const std::vector<ArgumentTest>& narrow, const std::vector<ArgumentTest>& wide) {
  return std::all_of(wide.begin(), wide.end(), [&](const ArgumentTest& test) {
    return std::any_of(narrow.begin(), narrow.end(),
                       [&](const ArgumentTest& own) { return TestImplies(own, test); });
  });
}

}  // namespace cellblock
