#include "tools/cli/output/describe.h"

#include <google/protobuf/duration.pb.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cellblock/v1/cell.pb.h"
#include "tools/cli/output/neutralize.h"
#include "tools/client/server_error.h"

namespace cellblock::cli {
namespace {

const char* OutcomeWords(v1::Outcome outcome) {
  switch (outcome) {
    case v1::INTERRUPTED:
      return "interrupted";
    case v1::TIMEOUT_WALL:
      return "took too long";
    case v1::TIMEOUT_CPU:
      return "used too much CPU time";
    case v1::OOM:
      return "out of memory";
    case v1::OUTPUT_LIMIT:
      return "too much output";
    case v1::REFUSED:
      return "refused by the policy";
    case v1::EXITED:
      return "the interpreter exited";
    case v1::SIGNALED:
      return "the interpreter was killed by a signal";
    case v1::SECCOMP:
      return "killed for a system call that the policy forbids";
    case v1::INFRA:
      return "the sandbox failed";
    default:
      return "failed";
  }
}

const char* CauseWords(v1::Cause cause) {
  switch (cause) {
    case v1::PIDS:
      return "the limit of processes was reached";
    case v1::DISK_FULL:
      return "the session's disk is full";
    case v1::MEMORY:
      return "the session's memory is used up";
    default:
      return "";
  }
}

std::string FateWords(const v1::CellResult& result) {
  std::string words;
  if (result.state() == v1::LOST) words = "the interpreter was lost: variables are gone";
  if (result.state() == v1::STATE_ROLLED_BACK) words = "variables were rolled back";
  if (words.empty()) return "";
  switch (result.files()) {
    case v1::FILES_LOST:
      return words + ", files too";
    case v1::FILES_ROLLED_BACK:
      return words + ", files were rolled back";
    default:
      return words + ", files are kept";
  }
}

}  // namespace

std::string Bytes(int64_t count) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (count < 1024) return absl::StrCat(count, count == 1 ? " byte" : " bytes");
  double value = static_cast<double>(count) / 1024;
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string Seconds(absl::Duration time) {
  const int64_t total = absl::ToInt64Seconds(time);
  if (total < 60) return absl::StrCat(total, " s");
  if (total < 3600) return absl::StrCat(total / 60, " min ", total % 60, " s");
  return absl::StrCat(total / 3600, " h ", total % 3600 / 60, " min");
}

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

std::string DescribeEnd(const v1::CellResult& result) {
  std::vector<std::string> parts;
  if (result.outcome() == v1::EXCEPTION) {
    if (result.cause() != v1::CAUSE_UNSPECIFIED) parts.emplace_back(CauseWords(result.cause()));
  } else {
    const std::string words = OutcomeWords(result.outcome());
    const std::string message = OneLine(result.message());
    parts.push_back(message.empty() ? words : message);
    if (!message.empty() && !absl::StrContains(absl::AsciiStrToLower(message), words)) {
      parts.back() = absl::StrCat(words, ": ", message);
    }
  }
  for (const v1::LimitEvent& event : result.limit_events()) {
    if (event.evidence().empty()) continue;
    parts.push_back(absl::StrCat(OneLine(event.limit()), " limit: ", OneLine(event.evidence())));
  }
  const std::string fate = FateWords(result);
  if (!fate.empty()) parts.push_back(fate);
  return absl::StrJoin(parts, "; ");
}

std::vector<std::string> DescribeDenials(const v1::CellResult& result) {
  std::vector<std::string> lines;
  for (const v1::Denial& denial : result.denials()) {
    std::string line = absl::StrCat("refused by rule ", OneLine(denial.rule()), ": ",
                                    OneLine(denial.attempt()), " ", OneLine(denial.subject()));
    if (!denial.reason().empty()) absl::StrAppend(&line, " (", OneLine(denial.reason()), ")");
    if (!denial.remedy().empty()) absl::StrAppend(&line, "; ", OneLine(denial.remedy()));
    lines.push_back(line);
  }
  return lines;
}

std::string DescribeProgress(const v1::Progress& progress) {
  std::string text = absl::StrCat("running ", Seconds(FromProto(progress.elapsed())), ", CPU ",
                                  Seconds(FromProto(progress.cpu())));
  if (progress.memory_bytes() > 0) {
    absl::StrAppend(&text, ", memory ", Bytes(progress.memory_bytes()));
  }
  return text;
}

std::string DescribeError(const absl::Status& status) {
  const ServerError error = ServerErrorOf(status);
  std::string text = PlainText(status.message());
  if (text.empty()) text = absl::StatusCodeToString(status.code());
  if (!error.reason.empty()) absl::StrAppend(&text, " [", OneLine(error.reason), "]");
  if (!error.step.empty() && !absl::StrContains(status.message(), error.step)) {
    absl::StrAppend(&text, ", at step ", OneLine(error.step));
  }
  if (!error.object.empty() && !absl::StrContains(status.message(), error.object)) {
    absl::StrAppend(&text, ", on ", OneLine(error.object));
  }
  if (error.errno_value != 0) {
    const std::string words = strerror(error.errno_value);
    if (!absl::StrContains(status.message(), words)) absl::StrAppend(&text, ": ", words);
  }
  if (!error.remedy.empty()) absl::StrAppend(&text, "; ", OneLine(error.remedy));
  return text;
}

}  // namespace cellblock::cli
