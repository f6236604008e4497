// Every field of every request is checked here, before anything acts on it. Errors are
// INVALID_ARGUMENT with the field's name as the object. Pure.
#ifndef CELLBLOCK_DAEMON_SERVICE_VALIDATE_H_
#define CELLBLOCK_DAEMON_SERVICE_VALIDATE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "daemon/session/session.h"
#include "sandbox/spec/limits.h"

namespace google::protobuf {
class Duration;
}

namespace cellblock::v1 {
class CreateSessionRequest;
class ExecuteRequest;
class LimitOverrides;
}  // namespace cellblock::v1

namespace cellblock {

inline constexpr size_t kMaxCodeBytes = size_t{4} << 20;

absl::Status BadField(absl::string_view field, absl::string_view rule);

// Image, environment, time zone, lifetimes, key, labels: all but what needs the policy.
absl::Status ValidateCreate(const v1::CreateSessionRequest& request);

// Tightens *limits. A value above the policy's is refused with the policy's number.
absl::Status ApplyOverrides(const v1::LimitOverrides& overrides, Limits* limits);

// What to run, out of a request whose every field is in order. UNIMPLEMENTED for the fields that
// are reserved for transactional cells.
absl::StatusOr<CellSpec> ValidateExecute(const v1::ExecuteRequest& request);

// Not negative and within the type's range.
absl::Status ValidateDuration(absl::string_view field, const google::protobuf::Duration& duration);

// 1 to 128 of [A-Za-z0-9_-].
bool IsExecutionId(absl::string_view id);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_VALIDATE_H_
