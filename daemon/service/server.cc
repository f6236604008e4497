#include "daemon/service/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr int kMaxMetadataBytes = 16 * 1024;
constexpr int kSpareThreads = 16;
constexpr int kKeepaliveMs = 30000;
constexpr int kKeepaliveTimeoutMs = 20000;
constexpr int kMinClientPingMs = 10000;
constexpr char kServiceName[] = "cellblock.v1.Runtime";

void SetLimits(const RpcServer::Options& options, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(static_cast<int>(kMaxMessageBytes));
  builder->SetMaxSendMessageSize(static_cast<int>(kMaxMessageBytes));
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  // What one client has beyond this waits at its end, rather than failing for want of a thread.
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_running_cells * 2);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                              kMinClientPingMs);
  // A stream holds a thread while it waits: two readers a running cell, and the short calls.
  grpc::ResourceQuota quota("cellblockd");
  quota.SetMaxThreads(options.max_running_cells * 2 + kSpareThreads);
  builder->SetResourceQuota(quota);
}

void InitPlugins() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

}  // namespace

RpcServer::RpcServer() = default;
RpcServer::~RpcServer() = default;

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(const Options& options,
                                                            grpc::Service* service) {
  InitPlugins();
  auto server = std::unique_ptr<RpcServer>(new RpcServer);
  server->socket_ = options.socket;
  grpc::ServerBuilder builder;
  SetLimits(options, &builder);
  builder.AddListeningPort(absl::StrCat("unix:", options.socket),
                           grpc::InsecureServerCredentials());
  builder.RegisterService(service);
  // The mode must hold from the moment that the socket exists.
  const mode_t old_mask = umask(options.group_may_connect ? 0117 : 0177);
  server->server_ = builder.BuildAndStart();
  umask(old_mask);
  if (server->server_ == nullptr) {
    return absl::UnavailableError(absl::StrCat("could not listen on ", options.socket));
  }
  server->SetServing(false);
  return server;
}

void RpcServer::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  health->SetServingStatus("", serving);
  health->SetServingStatus(kServiceName, serving);
}

void RpcServer::StopServing() {
  server_->GetHealthCheckService()->Shutdown();
}

void RpcServer::Shutdown(absl::Time deadline) {
  server_->Shutdown(absl::ToChronoTime(deadline));
  server_->Wait();
  unlink(socket_.c_str());
}

}  // namespace cellblock
