#include "sandbox/seccomp/verdict_table.h"

#include <linux/audit.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/seccomp/evaluator.h"
#include "sandbox/spec/policy_file.h"

namespace cellblock {
namespace {

constexpr int kMaxIncludes = 8;
constexpr size_t kMaxTable = 1 << 20;

absl::Status At(const SourcePlace& place, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(place.ToString(), ": ", what));
}

bool SameCall(const SyscallCall& a, const SyscallCall& b) {
  return a.number == b.number && a.arguments == b.arguments;
}

class Reader {
 public:
  absl::Status Read(const std::string& path, int depth) {
    CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxTable));
    int number = 0;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      CELLBLOCK_RETURN_IF_ERROR(ReadLine(line.substr(0, line.find('#')), {path, ++number}, depth));
    }
    return absl::OkStatus();
  }
  std::vector<VerdictLine> Take() { return std::move(lines_); }

 private:
  absl::Status ReadLine(absl::string_view line, const SourcePlace& place, int depth) {
    std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) return absl::OkStatus();
    if (words.size() == 1) return At(place, "needs a call and a verdict");
    if (words[0] == "include") {
      if (words.size() != 2 || words[1].find('/') != std::string::npos) {
        return At(place, "include takes the name of one table of this folder");
      }
      if (depth == kMaxIncludes) return At(place, "includes too deep");
      return Read(absl::StrCat(FolderOf(place.file), "/", words[1]), depth + 1);
    }
    VerdictLine entry;
    entry.place = place;
    const absl::StatusOr<Verdict> wanted = ParseVerdict(words.back());
    if (!wanted.ok()) return At(place, wanted.status().message());
    entry.wanted = *wanted;
    words.pop_back();
    entry.text = absl::StrJoin(words, " ");
    const absl::StatusOr<SyscallCall> call = ParseCall(words);
    if (!call.ok()) return At(place, call.status().message());
    entry.call = *call;
    return Add(std::move(entry));
  }

  absl::Status Add(VerdictLine entry) {
    for (VerdictLine& other : lines_) {
      if (!SameCall(other.call, entry.call)) continue;
      if (other.place.file == entry.place.file) {
        return At(entry.place, absl::StrCat("line ", other.place.line, " says it already"));
      }
      other = std::move(entry);
      return absl::OkStatus();
    }
    lines_.push_back(std::move(entry));
    return absl::OkStatus();
  }

  std::vector<VerdictLine> lines_;
};

}  // namespace

absl::StatusOr<std::vector<VerdictLine>> LoadVerdictTable(const std::string& path) {
  Reader reader;
  CELLBLOCK_RETURN_IF_ERROR(reader.Read(path, 0));
  return reader.Take();
}

absl::StatusOr<Verdict> AskFilter(const SeccompProgram& program, const SyscallCall& call) {
  seccomp_data data{};
  data.nr = static_cast<int>(call.number);
  data.arch = AUDIT_ARCH_X86_64;
  std::copy(call.arguments.begin(), call.arguments.end(), data.args);
  CELLBLOCK_ASSIGN_OR_RETURN(const uint32_t answer, EvaluateSeccomp(program, data));
  return VerdictOf(answer);
}

absl::StatusOr<std::vector<std::string>> CheckVerdicts(const SeccompProgram& program,
                                                       const std::vector<VerdictLine>& table) {
  std::vector<std::string> wrong;
  for (const VerdictLine& line : table) {
    CELLBLOCK_ASSIGN_OR_RETURN(const Verdict verdict, AskFilter(program, line.call));
    if (verdict == line.wanted) continue;
    wrong.push_back(absl::StrCat(line.place.ToString(), ": ", line.text, ": wanted ",
                                 NameOf(line.wanted), ", the filter says ", NameOf(verdict)));
  }
  return wrong;
}

std::vector<const SyscallRule*> UncoveredRules(const Policy& policy,
                                               const std::vector<VerdictLine>& table) {
  std::set<const SyscallRule*> covered;
  for (const VerdictLine& line : table) covered.insert(Decide(policy, line.call).rule);
  std::vector<const SyscallRule*> uncovered;
  for (const SyscallRule& rule : policy.syscall_rules()) {
    if (rule.place.file == policy.files().back() && covered.count(&rule) == 0) {
      uncovered.push_back(&rule);
    }
  }
  return uncovered;
}

}  // namespace cellblock
