#include "sandbox/launcher/failure.h"

#include <cstring>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "internal/launcher.pb.h"

namespace cellblock::launcher {
namespace {

constexpr char kPayload[] = "cellblock/setup-failure";

absl::Status WithPayload(absl::StatusCode code, const internal::SetupFailure& failure) {
  absl::Status status(code, failure.message());
  status.SetPayload(kPayload, absl::Cord(failure.SerializeAsString()));
  return status;
}

}  // namespace

absl::Status StepFailed(absl::string_view step, absl::string_view object, int error,
                        absl::string_view remedy) {
  internal::SetupFailure failure;
  failure.set_step(std::string(step));
  failure.set_object(std::string(object));
  failure.set_errno_value(error);
  failure.set_message(absl::StrCat(step, object.empty() ? "" : " (", object,
                                   object.empty() ? "" : ")", ": ", strerror(error)));
  failure.set_remedy(std::string(remedy));
  return WithPayload(absl::StatusCode::kInternal, failure);
}

absl::Status Refused(absl::string_view object, absl::string_view why) {
  internal::SetupFailure failure;
  failure.set_step("check request");
  failure.set_object(std::string(object));
  failure.set_message(absl::StrCat(object, ": ", why));
  failure.set_invalid_request(true);
  return WithPayload(absl::StatusCode::kInvalidArgument, failure);
}

absl::Status Exhausted(absl::string_view object, absl::string_view why) {
  internal::SetupFailure failure;
  failure.set_step("take resources");
  failure.set_object(std::string(object));
  failure.set_message(absl::StrCat(object, ": ", why));
  failure.set_exhausted(true);
  return WithPayload(absl::StatusCode::kResourceExhausted, failure);
}

absl::Status AtStep(absl::string_view step, const absl::Status& status) {
  if (status.ok() || status.GetPayload(kPayload).has_value()) return status;
  internal::SetupFailure failure;
  failure.set_step(std::string(step));
  failure.set_message(absl::StrCat(step, ": ", status.message()));
  return WithPayload(status.code(), failure);
}

void FillFailure(const absl::Status& status, internal::SetupFailure* failure) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (payload.has_value() && failure->ParseFromString(std::string(*payload))) return;
  failure->set_step("launcher");
  failure->set_message(std::string(status.message()));
}

}  // namespace cellblock::launcher
