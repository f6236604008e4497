#include "daemon/service/runtime_service.h"

#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.grpc.pb.h"
#include "daemon/observe/log.h"
#include "daemon/service/to_grpc_status.h"
#include "daemon/session/error.h"

namespace cellblock {
namespace {

using grpc::ServerContext;
using grpc::ServerWriter;

// Machinery failures are logged here, once; wrong requests and departed clients are the client's
// business.
grpc::Status Answer(const char* call, const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const absl::StatusCode code = status.code();
  if (code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
      code == absl::StatusCode::kUnavailable ||
      (code != absl::StatusCode::kInvalidArgument &&
       status.GetPayload(kSetupFailurePayload).has_value())) {
    Log(LogLevel::kWarning, "call_failed",
        {{"call", call}, {"code", absl::StatusCodeToString(code)}, {"message", status.message()}});
  }
  return ToGrpcStatus(status);
}

grpc::Status NotImplemented(const char* call) {
  return ToGrpcStatus(MakeError(absl::StatusCode::kUnimplemented,
                                absl::StrCat(call, ": transactional cells are not in this version"),
                                {.reason = "NOT_IMPLEMENTED", .object = call}));
}

template <typename Message>
auto WriteTo(ServerWriter<Message>* writer) {
  return [writer](const Message& message, Place place) {
    grpc::WriteOptions options;
    // The last message and the status travel in one write. No buffer hint for the others: in this
    // gRPC a hinted write returns only when something else flushes the transport.
    if (place == Place::kLast) options.set_last_message();
    return writer->Write(message, options);
  };
}

auto CancelledOf(ServerContext* context) {
  return [context] { return context->IsCancelled(); };
}

class RuntimeService final : public v1::Runtime::Service {
 public:
  RuntimeService(SessionRegistry* registry, const PolicyCatalog* policies, const ServerFacts* facts)
      : sessions_(registry, policies, facts), executions_(registry), files_(registry, facts) {}

  grpc::Status GetServerInfo(ServerContext*, const v1::GetServerInfoRequest*,
                             v1::ServerInfo* reply) override {
    return Answer("GetServerInfo", sessions_.GetServerInfo(reply));
  }
  grpc::Status CreateSession(ServerContext*, const v1::CreateSessionRequest* request,
                             v1::Session* reply) override {
    return Answer("CreateSession", sessions_.Create(*request, reply));
  }
  grpc::Status GetSession(ServerContext*, const v1::GetSessionRequest* request,
                          v1::Session* reply) override {
    return Answer("GetSession", sessions_.Get(*request, reply));
  }
  grpc::Status ListSessions(ServerContext*, const v1::ListSessionsRequest*,
                            v1::ListSessionsResponse* reply) override {
    return Answer("ListSessions", sessions_.List(reply));
  }
  grpc::Status DeleteSession(ServerContext*, const v1::DeleteSessionRequest* request,
                             v1::WipeReceipt* reply) override {
    return Answer("DeleteSession", sessions_.Delete(*request, reply));
  }

  grpc::Status Execute(ServerContext* context, const v1::ExecuteRequest* request,
                       ServerWriter<v1::ExecuteEvent>* writer) override {
    return Answer("Execute", executions_.Execute(*request, CancelledOf(context), WriteTo(writer)));
  }
  grpc::Status AttachExecution(ServerContext* context, const v1::AttachExecutionRequest* request,
                               ServerWriter<v1::ExecuteEvent>* writer) override {
    return Answer("AttachExecution",
                  executions_.Attach(*request, CancelledOf(context), WriteTo(writer)));
  }
  grpc::Status GetExecution(ServerContext*, const v1::GetExecutionRequest* request,
                            v1::Execution* reply) override {
    return Answer("GetExecution", executions_.GetExecution(*request, reply));
  }
  grpc::Status Interrupt(ServerContext*, const v1::InterruptRequest* request,
                         v1::InterruptResponse* reply) override {
    return Answer("Interrupt", executions_.Interrupt(*request, reply));
  }
  grpc::Status Cancel(ServerContext* context, const v1::CancelRequest* request,
                      v1::CancelResponse* reply) override {
    return Answer("Cancel", executions_.Cancel(*request, CancelledOf(context), reply));
  }
  grpc::Status Kill(ServerContext*, const v1::KillRequest* request,
                    v1::KillResponse* reply) override {
    return Answer("Kill", executions_.Kill(*request, reply));
  }
  grpc::Status ProvideInput(ServerContext*, const v1::ProvideInputRequest* request,
                            v1::ProvideInputResponse*) override {
    return Answer("ProvideInput", executions_.ProvideInput(*request));
  }

  grpc::Status UploadFile(ServerContext* context, grpc::ServerReader<v1::UploadFileRequest>* reader,
                          v1::FileInfo* reply) override {
    const auto read = [reader](v1::UploadFileRequest* message) { return reader->Read(message); };
    return Answer("UploadFile", files_.Upload(read, CancelledOf(context), reply));
  }
  grpc::Status DownloadFile(ServerContext*, const v1::DownloadFileRequest* request,
                            ServerWriter<v1::DownloadFileResponse>* writer) override {
    return Answer("DownloadFile", files_.Download(*request, WriteTo(writer)));
  }
  grpc::Status ListFiles(ServerContext*, const v1::ListFilesRequest* request,
                         ServerWriter<v1::FileInfo>* writer) override {
    return Answer("ListFiles", files_.List(*request, WriteTo(writer)));
  }
  grpc::Status RemoveFile(ServerContext*, const v1::RemoveFileRequest* request,
                          v1::RemoveFileResponse*) override {
    return Answer("RemoveFile", files_.Remove(*request));
  }

  grpc::Status Checkpoint(ServerContext*, const v1::CheckpointRequest*,
                          v1::CheckpointInfo*) override {
    return NotImplemented("Checkpoint");
  }
  grpc::Status Restore(ServerContext*, const v1::RestoreRequest*, v1::Session*) override {
    return NotImplemented("Restore");
  }
  grpc::Status ListCheckpoints(ServerContext*, const v1::ListCheckpointsRequest*,
                               v1::ListCheckpointsResponse*) override {
    return NotImplemented("ListCheckpoints");
  }
  grpc::Status DropCheckpoint(ServerContext*, const v1::DropCheckpointRequest*,
                              v1::DropCheckpointResponse*) override {
    return NotImplemented("DropCheckpoint");
  }
  grpc::Status ForkSession(ServerContext*, const v1::ForkSessionRequest*,
                           v1::ForkSessionResponse*) override {
    return NotImplemented("ForkSession");
  }

 private:
  SessionCalls sessions_;
  ExecuteCalls executions_;
  FileCalls files_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeRuntimeService(SessionRegistry* registry,
                                                  const PolicyCatalog* policies,
                                                  const ServerFacts* facts) {
  return std::make_unique<RuntimeService>(registry, policies, facts);
}

}  // namespace cellblock
