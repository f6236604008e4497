// A Runtime service that plays scripts, on a unix socket in this process: what a client does with
// answers, lost streams and errors is tested without a daemon.
#ifndef CELLBLOCK_TESTS_UNIT_TOOLS_FAKE_RUNTIME_H_
#define CELLBLOCK_TESTS_UNIT_TOOLS_FAKE_RUNTIME_H_

#include <grpcpp/grpcpp.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cellblock/v1/runtime.grpc.pb.h"
#include "tests/support/temp_dir.h"

namespace cellblock {

// What one Execute or AttachExecution sends, and how it ends.
struct Script {
  std::vector<v1::ExecuteEvent> events;
  grpc::Status end;
};

class FakeRuntime : public v1::Runtime::Service {
 public:
  FakeRuntime();
  ~FakeRuntime() override;

  std::string address() const { return "unix:" + dir_.path() + "/s"; }
  // The next stream plays the oldest script; with none left, an immediate OK result.
  void Play(Script script);
  // The next unary call fails with it.
  void FailNext(grpc::Status status);

  std::vector<v1::ExecuteRequest> executed();
  std::vector<v1::AttachExecutionRequest> attached();
  std::vector<v1::CreateSessionRequest> created();
  int interrupts();
  std::map<std::string, std::string> files;  // path to contents; set up before, read after
  std::string answered;                      // by ProvideInput

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::ServerInfo* reply) override;
  grpc::Status CreateSession(grpc::ServerContext*, const v1::CreateSessionRequest* request,
                             v1::Session* reply) override;
  grpc::Status DeleteSession(grpc::ServerContext*, const v1::DeleteSessionRequest* request,
                             v1::WipeReceipt* reply) override;
  grpc::Status Execute(grpc::ServerContext* context, const v1::ExecuteRequest* request,
                       grpc::ServerWriter<v1::ExecuteEvent>* writer) override;
  grpc::Status AttachExecution(grpc::ServerContext* context,
                               const v1::AttachExecutionRequest* request,
                               grpc::ServerWriter<v1::ExecuteEvent>* writer) override;
  grpc::Status Interrupt(grpc::ServerContext*, const v1::InterruptRequest* request,
                         v1::InterruptResponse* reply) override;
  grpc::Status ProvideInput(grpc::ServerContext*, const v1::ProvideInputRequest* request,
                            v1::ProvideInputResponse* reply) override;
  grpc::Status UploadFile(grpc::ServerContext*, grpc::ServerReader<v1::UploadFileRequest>* reader,
                          v1::FileInfo* reply) override;
  grpc::Status DownloadFile(grpc::ServerContext*, const v1::DownloadFileRequest* request,
                            grpc::ServerWriter<v1::DownloadFileResponse>* writer) override;
  grpc::Status ListFiles(grpc::ServerContext*, const v1::ListFilesRequest*,
                         grpc::ServerWriter<v1::FileInfo>* writer) override;

 private:
  grpc::Status TakeFailure();
  grpc::Status PlayNext(grpc::ServerWriter<v1::ExecuteEvent>* writer);

  TempDir dir_;
  std::mutex mutex_;
  std::deque<Script> scripts_;
  std::deque<grpc::Status> failures_;
  std::vector<v1::ExecuteRequest> executed_;
  std::vector<v1::AttachExecutionRequest> attached_;
  std::vector<v1::CreateSessionRequest> created_;
  int interrupts_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

v1::ExecuteEvent OutputEvent(int64_t sequence, v1::StreamName stream, const std::string& data);
v1::ExecuteEvent ValueEvent(int64_t sequence, const std::string& text);
v1::ExecuteEvent ResultEvent(int64_t sequence, v1::Outcome outcome);
// A status with an ErrorInfo in its details, as the daemon sends it.
grpc::Status DetailedError(grpc::StatusCode code, const std::string& message,
                           const v1::ErrorInfo& info);

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_TOOLS_FAKE_RUNTIME_H_
