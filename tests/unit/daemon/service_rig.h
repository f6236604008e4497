// The whole service over a real in-process gRPC channel, with scripted sandboxes behind it.
#ifndef CELLBLOCK_TESTS_UNIT_DAEMON_SERVICE_RIG_H_
#define CELLBLOCK_TESTS_UNIT_DAEMON_SERVICE_RIG_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "cellblock/v1/runtime.grpc.pb.h"
#include "daemon/service/runtime_service.h"
#include "internal/status.pb.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {

class ServiceRig {
 public:
  ServiceRig() {
    facts_.default_image = "host";
    facts_.default_policy = "python";
    facts_.default_idle_ttl = absl::Minutes(30);
    facts_.default_total_ttl = absl::Hours(24);
    facts_.max_sessions = 8;
    facts_.max_upload_bytes = 8 << 20;
    facts_.max_download_bytes = 8 << 20;
    facts_.host.images = {{"host", "ab12"}};
    facts_.host.facilities = {{"memory", Enforcement::kKernel, "memory.max", "", ""}};
    grpc::ServerBuilder builder;
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    stub_ = v1::Runtime::NewStub(server_->InProcessChannel({}));
    CreateLocal();
  }
  ~ServiceRig() { server_->Shutdown(); }

  v1::Runtime::Stub& stub() { return *stub_; }
  SessionRegistry& registry() { return registry_; }
  Record& record() { return *record_; }
  ServerFacts& facts() { return facts_; }
  const std::string& session() const { return session_; }

  std::unique_ptr<grpc::ClientReader<v1::ExecuteEvent>> Start(grpc::ClientContext* context,
                                                              const std::string& code,
                                                              const std::string& id = "") {
    v1::ExecuteRequest request;
    request.set_session_id(session_);
    request.set_code(code);
    request.set_execution_id(id);
    return stub_->Execute(context, request);
  }
  // Until the stream's end.
  std::vector<v1::ExecuteEvent> Execute(const std::string& code, const std::string& id = "") {
    grpc::ClientContext context;
    const auto reader = Start(&context, code, id);
    std::vector<v1::ExecuteEvent> events;
    v1::ExecuteEvent event;
    while (reader->Read(&event)) events.push_back(event);
    last_status = reader->Finish();
    return events;
  }
  grpc::Status last_status;

  static v1::ErrorInfo InfoOf(const grpc::Status& status) {
    internal::StatusDetails details;
    v1::ErrorInfo info;
    REQUIRE(details.ParseFromString(status.error_details()));
    REQUIRE(details.details_size() == 1);
    REQUIRE(details.details(0).UnpackTo(&info));
    return info;
  }

 private:
  // Made through the registry: the service would need a compiled policy.
  void CreateLocal() {
    const auto session = registry_.Create(TestSpec(), "");
    REQUIRE(session.ok());
    session_ = (*session)->id();
  }

  std::shared_ptr<Record> record_ = std::make_shared<Record>();
  PolicyCatalog policies_{std::map<std::string, CompiledPolicy>{}};
  ServerFacts facts_;
  SessionRegistry registry_{ScriptedFactory(record_), {8, 8}, Retention{}, absl::Now};
  std::unique_ptr<grpc::Service> service_ = MakeRuntimeService(&registry_, &policies_, &facts_);
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::Runtime::Stub> stub_;
  std::string session_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_DAEMON_SERVICE_RIG_H_
