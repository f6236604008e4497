// How the doctor looks at a host: each facility is tried for real, in a child process where trying
// leaves traces. Single-threaded: runs before anything starts a thread.
#ifndef CELLBLOCK_TOOLS_CLI_DOCTOR_PROBE_H_
#define CELLBLOCK_TOOLS_CLI_DOCTOR_PROBE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace cellblock::cli {

enum class Level { kOk, kWarning, kMissing };  // kMissing: cells cannot run

struct Finding {
  std::string name;
  Level level = Level::kOk;
  std::string detail;  // what was found
  std::string remedy;  // "" if all is well
};
using Findings = std::vector<Finding>;

// What a child's attempt came to: errno (0: it worked) and the step that failed.
struct Attempt {
  int error = 0;
  std::string step;
  long value = 0;  // of the child's choice
  bool ok() const { return error == 0; }
  std::string Text() const;  // "step: No such file or directory"
};

// In the child: remembers the first step that failed.
class Steps {
 public:
  // `result` is a system call's; below zero is failure. Chain with && or return on false: the next
  // step must not be taken.
  bool Do(const char* step, long result);
  void set_value(long value) { value_ = value; }
  int error() const { return error_; }
  const char* step() const { return step_; }
  long value() const { return value_; }

 private:
  int error_ = 0;
  const char* step_ = "";
  long value_ = 0;
};

// Runs `act` in a forked child and waits for it.
Attempt TryInChild(absl::FunctionRef<void(Steps&)> act);

// Adds "works" or the failure with its remedy.
void AddAttempt(Findings* findings, const std::string& name, const Attempt& attempt,
                Level if_failed, const std::string& remedy);

void ProbeIdentity(Findings* findings);
void ProbeNamespaces(Findings* findings);
void ProbeMounts(Findings* findings);
void ProbeSystemCalls(Findings* findings);
void ProbeCgroups(Findings* findings);
void ProbeUids(Findings* findings);
void ProbePython(Findings* findings);
void ProbePrograms(Findings* findings);
// Starts an embedded daemon and runs 1+1. Starts threads: the last of all.
void ProbeRun(Findings* findings);

bool AllRequiredPresent(const Findings& findings);
std::string FindingsText(const Findings& findings);
std::string FindingsJson(const Findings& findings);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_DOCTOR_PROBE_H_
