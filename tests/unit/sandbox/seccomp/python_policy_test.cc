// The default policy, compiled, against the answers that policies/tests/python.verdicts asks for.
#include <sstream>

#include "sandbox/base/io.h"
#include "tests/unit/sandbox/seccomp/filters.h"

namespace cellblock {
namespace {

SeccompProgram CompileFile(const char* path, const CompileOptions& options = {}) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  REQUIRE(text.ok());
  return CompileText(*text, options);
}

int NumberOf(const std::string& word) {
  const int known = CallNumber(word);
  return known >= 0 ? known : static_cast<int>(std::stoul(word, nullptr, 0));
}

uint32_t AnswerOf(const std::string& word) {
  if (word == "ALLOW") return kAllowed;
  REQUIRE((word == "EPERM" || word == "ENOSYS"));
  return word == "EPERM" ? kSaysEperm : kSaysEnosys;
}

TEST_CASE("python.textproto answers as its verdict table says") {
  const SeccompProgram program = CompileFile(POLICY_DIR "/python.textproto");
  const absl::StatusOr<std::string> table = ReadFile(POLICY_DIR "/tests/python.verdicts");
  REQUIRE(table.ok());
  std::istringstream lines(*table);
  int verdicts = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.empty()) continue;
    CAPTURE(line);
    REQUIRE(fields.size() >= 2);
    seccomp_data call = NativeCall(NumberOf(fields.front()));
    for (size_t i = 1; i + 1 < fields.size(); ++i) {
      call.args[i - 1] = std::stoull(fields[i], nullptr, 0);
    }
    CHECK(*EvaluateSeccomp(program, call) == AnswerOf(fields.back()));
    ++verdicts;
  }
  CHECK(verdicts > 200);
}

TEST_CASE("python.textproto stands on the floor, with and without memfd") {
  CHECK(CheckSeccompFloor(CompileFile(POLICY_DIR "/python.textproto")).ok());
  const SeccompProgram strict = CompileFile(POLICY_DIR "/python.textproto", {.refuse_memfd = true});
  CHECK(CheckSeccompFloor(strict).ok());
  CHECK(Answer(strict, "memfd_create") == kSaysEperm);
  CHECK(Answer(strict, "mmap") == kAllowed);
}

}  // namespace
}  // namespace cellblock
