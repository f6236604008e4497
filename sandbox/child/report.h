// What a child tells the launcher when a step fails: a plain struct on a close-on-exec pipe. End of
// file without one means that exec succeeded. Text is made by the launcher.
#ifndef CELLBLOCK_SANDBOX_CHILD_REPORT_H_
#define CELLBLOCK_SANDBOX_CHILD_REPORT_H_

#include <stdint.h>

namespace cellblock::child {

struct SetupError {
  char step[32];     // e.g. "mount proc"
  char object[192];  // what it was applied to, "" if there is nothing to name
  int32_t error;     // errno
};

// A step's answer: 0, or an errno with the object that it failed on.
struct StepResult {
  int error = 0;
  const char* object = "";
};

inline StepResult Done() {
  return {};
}
// errno must still be the failed call's.
StepResult Failed(const char* object);

}  // namespace cellblock::child

#endif  // CELLBLOCK_SANDBOX_CHILD_REPORT_H_
