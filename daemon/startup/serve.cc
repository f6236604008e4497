#include "daemon/startup/serve.h"

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "daemon/host/places.h"
#include "daemon/observe/log.h"
#include "daemon/service/runtime_service.h"
#include "daemon/service/server.h"
#include "daemon/session/sandbox_runner.h"
#include "daemon/session/session_registry.h"
#include "daemon/startup/startup.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr absl::Duration kStartupCellTime = absl::Seconds(60);

ServerFacts FactsOf(const DaemonSettings& settings, HostReport host) {
  ServerFacts facts;
  facts.host = std::move(host);
  facts.started_at = absl::Now();
  facts.default_image = settings.default_image;
  facts.image_store = settings.image_store;
  facts.default_policy = settings.default_policy;
  facts.read_only_roots = settings.read_only_roots;
  facts.default_idle_ttl = settings.default_idle_ttl;
  facts.default_total_ttl = settings.default_total_ttl;
  facts.max_sessions = settings.max_sessions;
  facts.max_upload_bytes = settings.max_upload_bytes;
  facts.max_download_bytes = settings.max_download_bytes;
  return facts;
}

absl::StatusOr<Startup::Options> StartupOptions(const DaemonSettings& settings,
                                                const PolicyCatalog& policies,
                                                const HostReport& host) {
  const CompiledPolicy* compiled = policies.Find(settings.default_policy);
  if (compiled == nullptr) {
    return absl::NotFoundError(absl::StrCat("default_policy: no policy \"", settings.default_policy,
                                            "\" in ", settings.policy_dir));
  }
  Startup::Options options;
  options.self_test = settings.self_test;
  options.image_cache = settings.image_cache;
  options.state_dir = settings.state_dir;
  for (const auto& [name, digest] : host.images) {
    if (name == settings.default_image) options.image_digest = digest;
  }
  options.spec.sandbox.image = settings.default_image;
  options.spec.sandbox.limits = compiled->policy.limits();
  options.spec.sandbox.seccomp_program = compiled->filter(host.enforces("memory"));
  options.spec.sandbox.executable_work_dir = compiled->policy.executable_work_dir();
  options.limits.wall = kStartupCellTime;
  options.limits.grace = compiled->policy.limits().interrupt_grace;
  options.limits.output = compiled->policy.output();
  return options;
}

}  // namespace

absl::StatusOr<int> Serve(const DaemonSettings& settings, const PolicyCatalog& policies,
                          PrivilegedParts parts, StopWatch* watch) {
  CELLBLOCK_RETURN_IF_ERROR(RemoveStaleSocket(settings.socket));
  SandboxFactory factory(std::move(parts.launcher), [watch] { watch->NoteLauncherGone(); });
  const RunnerFactory make_runner = [&](const RunnerSpec& spec) { return factory.Create(spec); };
  CELLBLOCK_ASSIGN_OR_RETURN(HostReport host, factory.Hello());
  CELLBLOCK_ASSIGN_OR_RETURN(Startup::Options startup_options,
                             StartupOptions(settings, policies, host));
  const ServerFacts facts = FactsOf(settings, std::move(host));

  SessionRegistry registry(make_runner, {settings.max_sessions, settings.max_running_cells},
                           {settings.retention_time, settings.retention_bytes}, absl::Now);
  const Reaper reaper(&registry);
  const std::unique_ptr<grpc::Service> service = MakeRuntimeService(&registry, &policies, &facts);
  RpcServer::Options server_options;
  server_options.socket = settings.socket;
  server_options.group_may_connect = !settings.socket_group.empty();
  server_options.max_running_cells = settings.max_running_cells;
  CELLBLOCK_ASSIGN_OR_RETURN(const std::unique_ptr<RpcServer> server,
                             RpcServer::Start(server_options, service.get()));
  Log(LogLevel::kInfo, "serving",
      {{"socket", settings.socket}, {"leftovers_removed", facts.host.leftovers_removed}});
  const Startup startup(std::move(startup_options), make_runner,
                        [&](const absl::Status& status) { server->SetServing(status.ok()); });
  return ServeUntilStopped(watch, &registry, server.get(), settings.drain_deadline);
}

absl::Status PrepareCaches(const DaemonSettings& settings, const PolicyCatalog& policies,
                           PrivilegedParts parts) {
  SandboxFactory factory(std::move(parts.launcher), [] {});
  CELLBLOCK_ASSIGN_OR_RETURN(const HostReport host, factory.Hello());
  CELLBLOCK_ASSIGN_OR_RETURN(Startup::Options options, StartupOptions(settings, policies, host));
  options.self_test = true;
  options.image_cache = true;
  Startup startup(
      std::move(options), [&](const RunnerSpec& spec) { return factory.Create(spec); },
      [](const absl::Status&) {});
  return startup.Wait();
}

}  // namespace cellblock
