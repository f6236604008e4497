// Policy text from anywhere: whatever is done to a good policy, Parse answers with a policy or with
// INVALID_ARGUMENT. Bounded and the same on every run.
#include <random>

#include "sandbox/base/io.h"
#include "sandbox/spec/policy.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/spec/policy_text.h"

namespace cellblock {
namespace {

constexpr int kRounds = 3000;

std::string Mutate(std::string text, std::mt19937& random) {
  static const std::string kPieces[] = {"{",  "}",     "\"",   "0xffffffffffffffff",
                                        "-1", ":",     "\n",   "#",
                                        "[",  "rules", "when", std::string(1, '\0')};
  for (unsigned count = 1 + random() % 4; count > 0 && !text.empty(); --count) {
    const size_t at = random() % text.size();
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, random() % 40);
        break;
      case 2:
        text.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 200));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST_CASE("mutated policies never do worse than an error") {
  const absl::StatusOr<std::string> file = ReadFile(POLICY_DIR "/python.textproto");
  REQUIRE(file.ok());
  const std::string rules = PolicyWithRules(
      "rules { reason: 'r' calls: 'ioctl' when { argument: 1 comparison: NONE_OF values: 7 } }");
  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = Mutate(round % 4 == 0 ? *file : rules, random);
    const absl::Status status = Policy::Parse(text, "mutant").status();
    if (status.ok()) continue;
    CAPTURE(text);
    REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
    REQUIRE(status.message().find("mutant") == 0);
  }
}

TEST_CASE("deep nesting is refused") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "limits {";
  CHECK_FALSE(Policy::Parse(text, "deep").ok());
}

}  // namespace
}  // namespace cellblock
