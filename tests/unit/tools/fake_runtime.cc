#include "tests/unit/tools/fake_runtime.h"

#include <chrono>
#include <utility>

#include "internal/status.pb.h"

namespace cellblock {

FakeRuntime::FakeRuntime() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
}

FakeRuntime::~FakeRuntime() {
  server_->Shutdown(std::chrono::system_clock::now());
}

void FakeRuntime::Play(Script script) {
  const std::lock_guard<std::mutex> lock(mutex_);
  scripts_.push_back(std::move(script));
}

void FakeRuntime::FailNext(grpc::Status status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  failures_.push_back(std::move(status));
}

std::vector<v1::ExecuteRequest> FakeRuntime::executed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return executed_;
}

std::vector<v1::AttachExecutionRequest> FakeRuntime::attached() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return attached_;
}

std::vector<v1::CreateSessionRequest> FakeRuntime::created() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return created_;
}

int FakeRuntime::interrupts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return interrupts_;
}

grpc::Status FakeRuntime::TakeFailure() {
  if (failures_.empty()) return grpc::Status::OK;
  grpc::Status status = failures_.front();
  failures_.pop_front();
  return status;
}

grpc::Status FakeRuntime::GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                                        v1::ServerInfo* reply) {
  const std::lock_guard<std::mutex> lock(mutex_);
  reply->set_version("fake");
  return TakeFailure();
}

grpc::Status FakeRuntime::CreateSession(grpc::ServerContext*,
                                        const v1::CreateSessionRequest* request,
                                        v1::Session* reply) {
  const std::lock_guard<std::mutex> lock(mutex_);
  created_.push_back(*request);
  reply->set_id("session");
  return TakeFailure();
}

grpc::Status FakeRuntime::DeleteSession(grpc::ServerContext*,
                                        const v1::DeleteSessionRequest* request,
                                        v1::WipeReceipt* reply) {
  const std::lock_guard<std::mutex> lock(mutex_);
  reply->set_session_id(request->session_id());
  reply->set_mounts_gone(true);
  return TakeFailure();
}

grpc::Status FakeRuntime::PlayNext(grpc::ServerWriter<v1::ExecuteEvent>* writer) {
  Script script;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (scripts_.empty()) {
      script.events.push_back(ResultEvent(1, v1::OK));
    } else {
      script = std::move(scripts_.front());
      scripts_.pop_front();
    }
  }
  for (const v1::ExecuteEvent& event : script.events) {
    if (!writer->Write(event)) break;
  }
  return script.end;
}

grpc::Status FakeRuntime::Execute(grpc::ServerContext*, const v1::ExecuteRequest* request,
                                  grpc::ServerWriter<v1::ExecuteEvent>* writer) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    executed_.push_back(*request);
  }
  return PlayNext(writer);
}

grpc::Status FakeRuntime::AttachExecution(grpc::ServerContext*,
                                          const v1::AttachExecutionRequest* request,
                                          grpc::ServerWriter<v1::ExecuteEvent>* writer) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    attached_.push_back(*request);
  }
  return PlayNext(writer);
}

grpc::Status FakeRuntime::Interrupt(grpc::ServerContext*, const v1::InterruptRequest*,
                                    v1::InterruptResponse* reply) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++interrupts_;
  reply->set_delivered(true);
  return TakeFailure();
}

grpc::Status FakeRuntime::ProvideInput(grpc::ServerContext*, const v1::ProvideInputRequest* request,
                                       v1::ProvideInputResponse*) {
  const std::lock_guard<std::mutex> lock(mutex_);
  answered = request->text();
  return TakeFailure();
}

grpc::Status FakeRuntime::UploadFile(grpc::ServerContext*,
                                     grpc::ServerReader<v1::UploadFileRequest>* reader,
                                     v1::FileInfo* reply) {
  v1::UploadFileRequest message;
  std::string path, data;
  while (reader->Read(&message)) {
    if (message.has_target()) path = message.target().path();
    data += message.data();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const grpc::Status failure = TakeFailure();
  if (!failure.ok()) return failure;
  files[path] = data;
  reply->set_path(path);
  reply->set_size(static_cast<int64_t>(data.size()));
  return grpc::Status::OK;
}

grpc::Status FakeRuntime::DownloadFile(grpc::ServerContext*, const v1::DownloadFileRequest* request,
                                       grpc::ServerWriter<v1::DownloadFileResponse>* writer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = files.find(request->path());
  if (found == files.end()) return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such file");
  v1::DownloadFileResponse message;
  message.mutable_info()->set_path(found->first);
  message.mutable_info()->set_size(static_cast<int64_t>(found->second.size()));
  writer->Write(message);
  message.set_data(found->second);
  writer->Write(message);
  return grpc::Status::OK;
}

grpc::Status FakeRuntime::ListFiles(grpc::ServerContext*, const v1::ListFilesRequest*,
                                    grpc::ServerWriter<v1::FileInfo>* writer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [path, data] : files) {
    v1::FileInfo info;
    info.set_path(path);
    info.set_type(v1::REGULAR);
    info.set_size(static_cast<int64_t>(data.size()));
    writer->Write(info);
  }
  return grpc::Status::OK;
}

v1::ExecuteEvent OutputEvent(int64_t sequence, v1::StreamName stream, const std::string& data) {
  v1::ExecuteEvent event;
  event.set_sequence(sequence);
  event.mutable_output()->set_stream(stream);
  event.mutable_output()->set_data(data);
  return event;
}

v1::ExecuteEvent ValueEvent(int64_t sequence, const std::string& text) {
  v1::ExecuteEvent event;
  event.set_sequence(sequence);
  (*event.mutable_value()->mutable_bundle()->mutable_data())["text/plain"] = text;
  return event;
}

v1::ExecuteEvent ResultEvent(int64_t sequence, v1::Outcome outcome) {
  v1::ExecuteEvent event;
  event.set_sequence(sequence);
  event.mutable_result()->set_outcome(outcome);
  event.mutable_result()->set_state(v1::PRESERVED);
  event.mutable_result()->set_files(v1::KEPT);
  return event;
}

grpc::Status DetailedError(grpc::StatusCode code, const std::string& message,
                           const v1::ErrorInfo& info) {
  internal::StatusDetails details;
  details.set_code(static_cast<int>(code));
  details.set_message(message);
  details.add_details()->PackFrom(info);
  return grpc::Status(code, message, details.SerializeAsString());
}

}  // namespace cellblock
