// Execute as one unbroken series of events, whatever happens to the connection.
#include <utility>

#include "absl/status/status.h"
#include "tools/client/client_impl.h"

namespace cellblock {
namespace {

struct Progress {
  int64_t last_sequence = 0;
  bool sink_left = false;
  bool ended = false;
};

// Reads one stream until it ends; events that were already handed on are skipped.
absl::Status ReadStream(grpc::ClientContext* context,
                        std::unique_ptr<grpc::ClientReader<v1::ExecuteEvent>> reader,
                        const SandboxClient::EventSink& sink, v1::CellResult* result,
                        Progress* progress) {
  v1::ExecuteEvent event;
  while (reader->Read(&event)) {
    if (event.sequence() <= progress->last_sequence) continue;
    progress->last_sequence = event.sequence();
    if (event.has_result()) {
      *result = event.result();
      progress->ended = true;
    }
    if (!sink(event)) {
      progress->sink_left = true;
      context->TryCancel();
      break;
    }
  }
  // What is left of a cancelled stream must be read away before it can be finished.
  while (progress->sink_left && reader->Read(&event)) {
  }
  return FromGrpcStatus(reader->Finish());
}

}  // namespace

absl::Status SandboxClient::Execute(const v1::ExecuteRequest& request, const EventSink& sink,
                                    v1::CellResult* result) {
  if (request.execution_id().empty()) {
    return absl::InvalidArgumentError("Execute needs an execution_id to join a lost stream again");
  }
  Progress progress;
  Backoff backoff(impl_->retry);
  while (true) {
    const int64_t seen_before = progress.last_sequence;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::ExecuteEvent>> reader;
    if (progress.last_sequence == 0) {
      // The same id again joins the execution if the first call had reached the server.
      reader = impl_->stub->Execute(&context, request);
    } else {
      v1::AttachExecutionRequest attach;
      attach.set_session_id(request.session_id());
      attach.set_execution_id(request.execution_id());
      attach.set_after_sequence(progress.last_sequence);
      reader = impl_->stub->AttachExecution(&context, attach);
    }
    absl::Status status = ReadStream(&context, std::move(reader), sink, result, &progress);
    if (progress.ended) return absl::OkStatus();
    if (progress.sink_left) return absl::CancelledError("the reader of the events left");
    if (status.ok()) status = absl::InternalError("the event stream ended without a result");
    if (progress.last_sequence > seen_before) backoff.Reset();
    const auto delay = backoff.Next(status, Repeatable::kYes);
    if (!delay.has_value()) return status;
    absl::SleepFor(*delay);
  }
}

}  // namespace cellblock
