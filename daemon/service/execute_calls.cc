// Calls about executions.
#include <google/protobuf/duration.pb.h>

#include <algorithm>
#include <utility>

#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/calls.h"
#include "daemon/service/convert.h"
#include "daemon/service/validate.h"
#include "daemon/session/error.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

// How soon a client's going away is noticed while a cell is silent.
constexpr absl::Duration kCancelPoll = absl::Milliseconds(50);
constexpr size_t kMaxInput = size_t{1} << 20;

absl::Status ClientGone() {
  return absl::CancelledError("the client is gone");
}

// Reads the log at the client's own pace.
absl::Status SendEvents(const std::shared_ptr<Execution>& execution, int64_t after_sequence,
                        Cancelled cancelled, Writer<v1::ExecuteEvent> write) {
  Execution::Reader reader(execution, after_sequence);
  v1::ExecuteEvent message;
  while (!reader.done()) {
    const auto batch = reader.Next(kCancelPoll);
    if (batch.empty() && cancelled()) return ClientGone();
    for (size_t i = 0; i < batch.size(); ++i) {
      const bool last = reader.done() && i + 1 == batch.size();
      message.Clear();
      ToProto(*batch[i], execution->id(), &message);
      if (!write(message, last ? Place::kLast : Place::kNotLast)) return ClientGone();
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Execution>> ExecuteCalls::Find(const std::string& session_id,
                                                              const std::string& execution_id) {
  CELLBLOCK_ASSIGN_OR_RETURN(const auto session, registry_->Find(kLocalTenant, session_id));
  // "" = the one that runs now.
  if (!execution_id.empty()) return session->FindExecution(execution_id);
  return session->FindExecution(session->Describe().running_execution_id);
}

absl::Status ExecuteCalls::Execute(const v1::ExecuteRequest& request, Cancelled cancelled,
                                   Writer<v1::ExecuteEvent> write) {
  CELLBLOCK_ASSIGN_OR_RETURN(CellSpec spec, ValidateExecute(request));
  std::shared_ptr<Execution> execution;
  {
    // The session is not kept by a slow reader of its result.
    CELLBLOCK_ASSIGN_OR_RETURN(const auto session,
                               registry_->Find(kLocalTenant, request.session_id()));
    CELLBLOCK_RETURN_IF_ERROR(registry_->CheckAccepting());
    CELLBLOCK_ASSIGN_OR_RETURN(execution, session->Execute(std::move(spec)));
  }
  return SendEvents(execution, 0, cancelled, write);
}

absl::Status ExecuteCalls::Attach(const v1::AttachExecutionRequest& request, Cancelled cancelled,
                                  Writer<v1::ExecuteEvent> write) {
  if (request.after_sequence() < 0) return BadField("after_sequence", "must not be negative");
  CELLBLOCK_ASSIGN_OR_RETURN(const auto execution,
                             Find(request.session_id(), request.execution_id()));
  return SendEvents(execution, request.after_sequence(), cancelled, write);
}

absl::Status ExecuteCalls::GetExecution(const v1::GetExecutionRequest& request,
                                        v1::Execution* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(const auto execution,
                             Find(request.session_id(), request.execution_id()));
  ToProto(*execution, reply);
  return absl::OkStatus();
}

absl::Status ExecuteCalls::Interrupt(const v1::InterruptRequest& request,
                                     v1::InterruptResponse* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(const auto session,
                             registry_->Find(kLocalTenant, request.session_id()));
  const std::string running = session->Describe().running_execution_id;
  const std::string& wanted = request.execution_id().empty() ? running : request.execution_id();
  if (wanted.empty()) return absl::OkStatus();  // idle: not delivered
  CELLBLOCK_ASSIGN_OR_RETURN(const auto execution, session->FindExecution(wanted));
  const auto cell = execution->cell();
  if (cell != nullptr) cell->Interrupt();
  reply->set_delivered(cell != nullptr);
  return absl::OkStatus();
}

absl::Status ExecuteCalls::Cancel(const v1::CancelRequest& request, Cancelled cancelled,
                                  v1::CancelResponse* reply) {
  CELLBLOCK_RETURN_IF_ERROR(ValidateDuration("grace", request.grace()));
  CELLBLOCK_ASSIGN_OR_RETURN(const auto session,
                             registry_->Find(kLocalTenant, request.session_id()));
  CELLBLOCK_ASSIGN_OR_RETURN(const auto execution,
                             Find(request.session_id(), request.execution_id()));
  const absl::Duration policy_grace = session->spec().cell_limits.grace;
  const absl::Duration grace =
      request.has_grace() ? std::min(FromProto(request.grace()), policy_grace) : policy_grace;
  if (const auto cell = execution->cell()) cell->Cancel(grace);
  std::shared_ptr<const CellResult> result;
  while ((result = execution->AwaitResult(kCancelPoll)) == nullptr) {
    if (cancelled()) return ClientGone();
  }
  ToProto(*result, reply->mutable_result());
  return absl::OkStatus();
}

absl::Status ExecuteCalls::Kill(const v1::KillRequest& request, v1::KillResponse* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(const auto session,
                             registry_->Find(kLocalTenant, request.session_id()));
  CELLBLOCK_ASSIGN_OR_RETURN(const int64_t epoch, session->KillInterpreter());
  reply->set_epoch(epoch);
  return absl::OkStatus();
}

absl::Status ExecuteCalls::ProvideInput(const v1::ProvideInputRequest& request) {
  if (request.text().size() > kMaxInput) return BadField("text", "larger than 1 MiB");
  CELLBLOCK_ASSIGN_OR_RETURN(const auto execution,
                             Find(request.session_id(), request.execution_id()));
  const auto cell = execution->cell();
  if (cell != nullptr && cell->ProvideInput(request.text(), request.end_of_file())) {
    return absl::OkStatus();
  }
  return MakeError(absl::StatusCode::kFailedPrecondition, "the cell does not wait for input",
                   {.reason = "NO_INPUT_WANTED",
                    .object = execution->id(),
                    .remedy = "answer an InputRequest event, once each"});
}

}  // namespace cellblock
