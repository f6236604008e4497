// Errors of the launcher: each names the step, the object and the errno, and becomes a SetupFailure
// on the wire. They travel as absl::Status with the SetupFailure as payload.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_FAILURE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_FAILURE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cellblock::internal {
class SetupFailure;
}

namespace cellblock::launcher {

absl::Status StepFailed(absl::string_view step, absl::string_view object, int error,
                        absl::string_view remedy = "");
// The request broke one of the launcher's own rules.
absl::Status Refused(absl::string_view object, absl::string_view why);
// Nothing free now; later there may be.
absl::Status Exhausted(absl::string_view object, absl::string_view why);
// Gives a status of another library a step.
absl::Status AtStep(absl::string_view step, const absl::Status& status);

void FillFailure(const absl::Status& status, internal::SetupFailure* failure);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_FAILURE_H_
