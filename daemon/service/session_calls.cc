// Calls about sessions and the server itself.
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <sys/utsname.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/calls.h"
#include "daemon/service/convert.h"
#include "daemon/service/policy_terms.h"
#include "daemon/service/server.h"
#include "daemon/service/stored_images.h"
#include "daemon/service/validate.h"
#include "daemon/session/error.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

absl::Duration OrDefault(const google::protobuf::Duration& duration, absl::Duration otherwise) {
  const absl::Duration given = FromProto(duration);
  return given > absl::ZeroDuration() ? given : otherwise;
}

const std::string& OrDefault(const std::string& value, const std::string& otherwise) {
  return value.empty() ? otherwise : value;
}

CellLimits CellLimitsOf(const Limits& limits, const OutputCaps& output) {
  CellLimits cell;
  cell.wall =
      limits.max_cell_time > absl::ZeroDuration() ? limits.max_cell_time : absl::InfiniteDuration();
  cell.cpu = limits.max_cell_cpu;
  cell.grace = limits.interrupt_grace;
  cell.output = output;
  return cell;
}

}  // namespace

absl::Status SessionCalls::GetServerInfo(v1::ServerInfo* reply) {
  utsname system = {};
  uname(&system);
  reply->set_version(CELLBLOCK_VERSION);
  reply->set_kernel_release(Utf8(system.release));
  reply->set_machine(Utf8(system.machine));
  for (const Facility& facility : facts_->host.facilities) {
    ToProto(facility, reply->add_capabilities());
  }
  for (const auto& [name, digest] : facts_->host.images) {
    v1::ImageInfo* image = reply->add_images();
    image->set_name(Utf8(name));
    image->set_digest(Utf8(digest));
    image->set_python_version(Utf8(registry_->PythonVersionOf(name)));
  }
  ListStoredImages(facts_->image_store, reply);
  for (const auto& [name, compiled] : policies_->all()) {
    v1::PolicyInfo* policy = reply->add_policies();
    policy->set_name(name);
    policy->set_digest(compiled.policy.digest());
    policy->set_description(Utf8(compiled.policy.description()));
  }
  reply->set_max_message_bytes(kMaxMessageBytes);
  reply->set_max_sessions(facts_->max_sessions);
  reply->set_sessions(registry_->size());
  ToProto(facts_->started_at, reply->mutable_started_at());
  reply->set_leftovers_removed(facts_->host.leftovers_removed);
  return absl::OkStatus();
}

absl::StatusOr<SessionSpec> SessionCalls::SpecOf(const v1::CreateSessionRequest& request) const {
  CELLBLOCK_RETURN_IF_ERROR(ValidateCreate(request));
  const std::string& policy_name = OrDefault(request.policy(), facts_->default_policy);
  const CompiledPolicy* compiled = policies_->Find(policy_name);
  if (compiled == nullptr) {
    return MakeError(absl::StatusCode::kNotFound,
                     absl::StrCat("no policy \"", Printable(policy_name), "\""),
                     {.reason = "POLICY_NOT_FOUND",
                      .object = Printable(policy_name),
                      .remedy = "GetServerInfo lists the policies"});
  }
  const Policy& policy = compiled->policy;
  CELLBLOCK_RETURN_IF_ERROR(CheckEnforceable(policy, facts_->read_only_roots));
  SessionSpec spec;
  spec.tenant = kLocalTenant;
  spec.image = OrDefault(request.image(), facts_->default_image);
  spec.policy = policy.name();
  spec.policy_digest = policy.digest();
  SandboxSpec& sandbox = spec.runner.sandbox;
  sandbox.image = spec.image;
  sandbox.limits = policy.limits();
  CELLBLOCK_RETURN_IF_ERROR(ApplyOverrides(request.limits(), &sandbox.limits));
  sandbox.seccomp_program = compiled->filter(facts_->host.enforces("memory"));
  sandbox.executable_work_dir = policy.executable_work_dir();
  for (const ReadOnlyBind& bind : policy.read_only_binds()) sandbox.read_only.push_back(bind.name);
  CELLBLOCK_ASSIGN_OR_RETURN(sandbox.time_zone, TimeZoneOf(policy, request));
  CELLBLOCK_ASSIGN_OR_RETURN(spec.runner.environment, EnvironmentOf(policy, request));
  spec.cell_limits = CellLimitsOf(sandbox.limits, policy.output());
  spec.idle_ttl = OrDefault(request.idle_ttl(), facts_->default_idle_ttl);
  spec.total_ttl = OrDefault(request.total_ttl(), facts_->default_total_ttl);
  spec.labels = {request.labels().begin(), request.labels().end()};
  return spec;
}

absl::Status SessionCalls::Create(const v1::CreateSessionRequest& request, v1::Session* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(SessionSpec spec, SpecOf(request));
  CELLBLOCK_ASSIGN_OR_RETURN(const auto session,
                             registry_->Create(std::move(spec), request.idempotency_key()));
  ToProto(*session, reply);
  return absl::OkStatus();
}

absl::Status SessionCalls::Get(const v1::GetSessionRequest& request, v1::Session* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(const auto session,
                             registry_->Find(kLocalTenant, request.session_id()));
  ToProto(*session, reply);
  return absl::OkStatus();
}

absl::Status SessionCalls::List(v1::ListSessionsResponse* reply) {
  for (const auto& session : registry_->List(kLocalTenant)) {
    ToProto(*session, reply->add_sessions());
  }
  return absl::OkStatus();
}

absl::Status SessionCalls::Delete(const v1::DeleteSessionRequest& request, v1::WipeReceipt* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(const WipeReport report,
                             registry_->Delete(kLocalTenant, request.session_id()));
  ToProto(report, reply);
  reply->set_session_id(request.session_id());
  ToProto(absl::Now(), reply->mutable_wiped_at());
  return absl::OkStatus();
}

}  // namespace cellblock
