#include "tools/cli/doctor/probe.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"

namespace cellblock::cli {
namespace {

struct Report {
  int error = 0;
  long value = 0;
  char step[64] = {};
};

}  // namespace

std::string Attempt::Text() const {
  return ok() ? "works" : absl::StrCat(step, ": ", strerror(error));
}

bool Steps::Do(const char* step, long result) {
  if (error_ != 0) return false;
  if (result >= 0) return true;
  error_ = errno == 0 ? EIO : errno;
  step_ = step;
  return false;
}

Attempt TryInChild(absl::FunctionRef<void(Steps&)> act) {
  auto pipe = Pipe();
  if (!pipe.ok()) return {EMFILE, "pipe"};
  const pid_t child = fork();
  if (child < 0) return {errno, "fork"};
  if (child == 0) {
    Steps steps;
    act(steps);
    Report report;
    report.error = steps.error();
    report.value = steps.value();
    strncpy(report.step, steps.step(), sizeof report.step - 1);
    const ssize_t written = write(pipe->second.get(), &report, sizeof report);
    _exit(written == sizeof report ? 0 : 1);
  }
  pipe->second.reset();
  Report report;
  ssize_t count = 0;
  do {
    count = read(pipe->first.get(), &report, sizeof report);
  } while (count < 0 && errno == EINTR);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (count != sizeof report) return {EIO, "the attempt was killed"};
  return {report.error, report.step, report.value};
}

void AddAttempt(Findings* findings, const std::string& name, const Attempt& attempt,
                Level if_failed, const std::string& remedy) {
  findings->push_back(
      {name, attempt.ok() ? Level::kOk : if_failed, attempt.Text(), attempt.ok() ? "" : remedy});
}

bool AllRequiredPresent(const Findings& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.level == Level::kMissing; });
}

}  // namespace cellblock::cli
