// The bodies of the Runtime calls, by subject. Each checks its request, acts through the registry,
// and speaks absl::Status; runtime_service.cc is the adapter that makes gRPC of it. Thread-safe.
#ifndef CELLBLOCK_DAEMON_SERVICE_CALLS_H_
#define CELLBLOCK_DAEMON_SERVICE_CALLS_H_

#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "daemon/session/policy_catalog.h"
#include "daemon/session/session_registry.h"
#include "sandbox/runtime/launcher_client.h"

namespace google::protobuf {
class Message;
}

namespace cellblock::v1 {
class AttachExecutionRequest;
class CancelRequest;
class CancelResponse;
class CreateSessionRequest;
class DeleteSessionRequest;
class DownloadFileRequest;
class DownloadFileResponse;
class ExecuteEvent;
class ExecuteRequest;
class Execution;
class FileInfo;
class GetExecutionRequest;
class GetSessionRequest;
class InterruptRequest;
class InterruptResponse;
class KillRequest;
class KillResponse;
class ListFilesRequest;
class ListSessionsResponse;
class ProvideInputRequest;
class RemoveFileRequest;
class ServerInfo;
class Session;
class UploadFileRequest;
class WipeReceipt;
}  // namespace cellblock::v1

namespace cellblock {

// What the calls need to know of this server. Fixed once it serves.
struct ServerFacts {
  HostReport host;
  absl::Time started_at;
  std::string default_image, default_policy, image_store;
  std::set<std::string> read_only_roots;  // the operator's names
  absl::Duration default_idle_ttl, default_total_ttl;
  int max_sessions = 0;
  int64_t max_upload_bytes = 0, max_download_bytes = 0;
};

// One client's stream, without gRPC's types. A write gives false when the client is gone.
enum class Place { kNotLast, kLast };
template <typename Message>
using Writer = absl::FunctionRef<bool(const Message&, Place)>;
template <typename Message>
using StreamReader = absl::FunctionRef<bool(Message*)>;
using Cancelled = absl::FunctionRef<bool()>;

class SessionCalls {
 public:
  SessionCalls(SessionRegistry* registry, const PolicyCatalog* policies, const ServerFacts* facts)
      : registry_(registry), policies_(policies), facts_(facts) {}

  absl::Status GetServerInfo(v1::ServerInfo* reply);
  absl::Status Create(const v1::CreateSessionRequest& request, v1::Session* reply);
  absl::Status Get(const v1::GetSessionRequest& request, v1::Session* reply);
  absl::Status List(v1::ListSessionsResponse* reply);
  absl::Status Delete(const v1::DeleteSessionRequest& request, v1::WipeReceipt* reply);

 private:
  absl::StatusOr<SessionSpec> SpecOf(const v1::CreateSessionRequest& request) const;

  SessionRegistry* const registry_;
  const PolicyCatalog* const policies_;
  const ServerFacts* const facts_;
};

class ExecuteCalls {
 public:
  explicit ExecuteCalls(SessionRegistry* registry) : registry_(registry) {}

  absl::Status Execute(const v1::ExecuteRequest& request, Cancelled cancelled,
                       Writer<v1::ExecuteEvent> write);
  absl::Status Attach(const v1::AttachExecutionRequest& request, Cancelled cancelled,
                      Writer<v1::ExecuteEvent> write);
  absl::Status GetExecution(const v1::GetExecutionRequest& request, v1::Execution* reply);
  absl::Status Interrupt(const v1::InterruptRequest& request, v1::InterruptResponse* reply);
  absl::Status Cancel(const v1::CancelRequest& request, Cancelled cancelled,
                      v1::CancelResponse* reply);
  absl::Status Kill(const v1::KillRequest& request, v1::KillResponse* reply);
  absl::Status ProvideInput(const v1::ProvideInputRequest& request);

 private:
  absl::StatusOr<std::shared_ptr<Execution>> Find(const std::string& session_id,
                                                  const std::string& execution_id);
  SessionRegistry* const registry_;
};

class FileCalls {
 public:
  FileCalls(SessionRegistry* registry, const ServerFacts* facts)
      : registry_(registry), facts_(facts) {}

  absl::Status Upload(StreamReader<v1::UploadFileRequest> read, Cancelled cancelled,
                      v1::FileInfo* reply);
  absl::Status Download(const v1::DownloadFileRequest& request,
                        Writer<v1::DownloadFileResponse> write);
  absl::Status List(const v1::ListFilesRequest& request, Writer<v1::FileInfo> write);
  absl::Status Remove(const v1::RemoveFileRequest& request);

 private:
  SessionRegistry* const registry_;
  const ServerFacts* const facts_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_CALLS_H_
