#include "tools/client/sandbox_client.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/client/client_impl.h"
#include "tools/client/random_id.h"

namespace cellblock {
namespace {

// Longer than the least ping interval that the server bears.
constexpr int kKeepaliveMs = 30000;
constexpr int kKeepaliveTimeoutMs = 20000;
constexpr int kFirstReconnectMs = 20;
constexpr int kLongestReconnectMs = 2000;

using Stub = v1::Runtime::Stub;

grpc::ChannelArguments ChannelArguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxClientMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxClientMessageBytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kLongestReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestReconnectMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  // Retries are ours: gRPC's own do not know which calls may be repeated.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // A proxy named in the environment is for the web, not for a sandbox on this network.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

}  // namespace

SandboxClient::SandboxClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SandboxClient::~SandboxClient() = default;

absl::StatusOr<std::unique_ptr<SandboxClient>> SandboxClient::Connect(
    const std::string& address, const ClientOptions& options) {
  const std::string target =
      absl::StartsWith(address, "/") ? absl::StrCat("unix:", address) : address;
  auto impl = std::make_unique<Impl>();
  impl->channel =
      grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), ChannelArguments());
  if (!impl->channel->WaitForConnected(absl::ToChronoTime(absl::Now() + options.connect_timeout))) {
    return absl::UnavailableError(absl::StrCat("no server answers at ", address));
  }
  impl->stub = v1::Runtime::NewStub(impl->channel);
  impl->retry = options.retry;
  return std::unique_ptr<SandboxClient>(new SandboxClient(std::move(impl)));
}

absl::Status SandboxClient::GetServerInfo(v1::ServerInfo* info) {
  return impl_->Call(&Stub::GetServerInfo, v1::GetServerInfoRequest(), info, Repeatable::kYes);
}

absl::Status SandboxClient::CreateSession(const v1::CreateSessionRequest& request,
                                          v1::Session* session) {
  v1::CreateSessionRequest keyed = request;
  if (keyed.idempotency_key().empty()) keyed.set_idempotency_key(MakeClientId());
  return impl_->Call(&Stub::CreateSession, keyed, session, Repeatable::kYes, kLongCall);
}

absl::Status SandboxClient::GetSession(const std::string& session_id, v1::Session* session) {
  v1::GetSessionRequest request;
  request.set_session_id(session_id);
  return impl_->Call(&Stub::GetSession, request, session, Repeatable::kYes);
}

absl::Status SandboxClient::ListSessions(v1::ListSessionsResponse* response) {
  return impl_->Call(&Stub::ListSessions, v1::ListSessionsRequest(), response, Repeatable::kYes);
}

absl::Status SandboxClient::DeleteSession(const std::string& session_id, v1::WipeReceipt* receipt) {
  v1::DeleteSessionRequest request;
  request.set_session_id(session_id);
  // Not repeated: a second call would say NOT_FOUND and hide the receipt.
  return impl_->Call(&Stub::DeleteSession, request, receipt, Repeatable::kNo, kLongCall);
}

absl::Status SandboxClient::GetExecution(const std::string& session_id,
                                         const std::string& execution_id,
                                         v1::Execution* execution) {
  v1::GetExecutionRequest request;
  request.set_session_id(session_id);
  request.set_execution_id(execution_id);
  return impl_->Call(&Stub::GetExecution, request, execution, Repeatable::kYes);
}

absl::StatusOr<bool> SandboxClient::Interrupt(const std::string& session_id,
                                              const std::string& execution_id) {
  v1::InterruptRequest request;
  request.set_session_id(session_id);
  request.set_execution_id(execution_id);
  v1::InterruptResponse response;
  // Not repeated: a second interrupt could reach the handler of the first.
  const absl::Status status = impl_->Call(&Stub::Interrupt, request, &response, Repeatable::kNo);
  if (!status.ok()) return status;
  return response.delivered();
}

absl::Status SandboxClient::Cancel(const std::string& session_id, const std::string& execution_id,
                                   v1::CellResult* result) {
  v1::CancelRequest request;
  request.set_session_id(session_id);
  request.set_execution_id(execution_id);
  v1::CancelResponse response;
  const absl::Status status =
      impl_->Call(&Stub::Cancel, request, &response, Repeatable::kYes, kLongCall);
  if (status.ok()) result->Swap(response.mutable_result());
  return status;
}

absl::StatusOr<int64_t> SandboxClient::Kill(const std::string& session_id) {
  v1::KillRequest request;
  request.set_session_id(session_id);
  v1::KillResponse response;
  // Not repeated: it could kill the next interpreter.
  const absl::Status status = impl_->Call(&Stub::Kill, request, &response, Repeatable::kNo);
  if (!status.ok()) return status;
  return response.epoch();
}

absl::Status SandboxClient::ProvideInput(const std::string& session_id,
                                         const std::string& execution_id, absl::string_view text,
                                         bool end_of_file) {
  v1::ProvideInputRequest request;
  request.set_session_id(session_id);
  request.set_execution_id(execution_id);
  request.set_text(std::string(text));
  request.set_end_of_file(end_of_file);
  v1::ProvideInputResponse response;
  return impl_->Call(&Stub::ProvideInput, request, &response, Repeatable::kNo);
}

}  // namespace cellblock
