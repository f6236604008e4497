// Files as a client sees them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "absl/strings/escaping.h"
#include "tests/unit/daemon/service_rig.h"

namespace cellblock {
namespace {

struct Upload {
  explicit Upload(ServiceRig* rig, const std::string& path, int64_t size = -1) {
    signal(SIGPIPE, SIG_IGN);  // as the daemon's main does
    writer = rig->stub().UploadFile(&context, &info);
    v1::UploadFileRequest first;
    first.mutable_target()->set_session_id(rig->session());
    first.mutable_target()->set_path(path);
    if (size >= 0) first.mutable_target()->mutable_size()->set_value(size);
    writer->Write(first);
  }
  bool Send(const std::string& data) {
    v1::UploadFileRequest message;
    message.set_data(data);
    return writer->Write(message);
  }
  grpc::Status Finish() {
    writer->WritesDone();
    return writer->Finish();
  }
  grpc::ClientContext context;
  v1::FileInfo info;
  std::unique_ptr<grpc::ClientWriter<v1::UploadFileRequest>> writer;
};

struct Downloaded {
  grpc::Status status;
  v1::FileInfo info;
  std::string data;
};

Downloaded Download(ServiceRig* rig, const std::string& path, int64_t offset = 0,
                    int64_t max_bytes = 0) {
  grpc::ClientContext context;
  v1::DownloadFileRequest request;
  request.set_session_id(rig->session());
  request.set_path(path);
  request.set_offset(offset);
  request.set_max_bytes(max_bytes);
  const auto reader = rig->stub().DownloadFile(&context, request);
  Downloaded out;
  v1::DownloadFileResponse message;
  while (reader->Read(&message)) {
    if (message.has_info()) out.info = message.info();
    out.data += message.data();
  }
  out.status = reader->Finish();
  return out;
}

std::string Pattern(size_t size) {
  std::string data(size, '\0');
  for (size_t i = 0; i < size; ++i) data[i] = static_cast<char>(i * 31 + i / 251);
  return data;
}

TEST_CASE("what is uploaded comes back byte for byte, with its digest") {
  ServiceRig rig;
  const std::string data = Pattern(3 * 1024 * 1024 + 17);
  Upload upload(&rig, "data.bin");
  for (size_t i = 0; i < data.size(); i += 1 << 20) upload.Send(data.substr(i, 1 << 20));
  REQUIRE(upload.Finish().ok());
  CHECK(upload.info.size() == static_cast<int64_t>(data.size()));
  CHECK(upload.info.sha256().size() == 32);
  const Downloaded back = Download(&rig, "data.bin");
  CHECK(back.status.ok());
  CHECK(back.info.size() == static_cast<int64_t>(data.size()));
  CHECK(back.data == data);
  CHECK(Download(&rig, "data.bin", data.size() - 3).data == data.substr(data.size() - 3));
}

TEST_CASE("an empty file has the digest of nothing") {
  ServiceRig rig;
  Upload upload(&rig, "empty", 0);
  REQUIRE(upload.Finish().ok());
  CHECK(absl::BytesToHexString(upload.info.sha256()).substr(0, 16) == "e3b0c44298fc1c14");
  CHECK(Download(&rig, "empty").status.ok());
}

TEST_CASE("a stream that breaks off leaves nothing") {
  ServiceRig rig;
  {
    Upload upload(&rig, "half.bin");
    upload.Send("half");
    upload.context.TryCancel();
    CHECK(upload.writer->Finish().error_code() == grpc::StatusCode::CANCELLED);
  }
  CHECK(Download(&rig, "half.bin").status.error_code() == grpc::StatusCode::NOT_FOUND);
}

TEST_CASE("a stream that is not as long as announced leaves nothing") {
  ServiceRig rig;
  Upload upload(&rig, "short.bin", 10);
  upload.Send("12345");
  CHECK(upload.Finish().error_code() == grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(Download(&rig, "short.bin").status.error_code() == grpc::StatusCode::NOT_FOUND);
}

TEST_CASE("a full disk is told by the sandbox's own answer") {
  ServiceRig rig;
  rig.record().disk_limit = 100000;
  Upload upload(&rig, "big.bin");
  for (int i = 0; i < 5 && upload.Send(std::string(100000, 'x')); ++i) {
  }
  CHECK(upload.Finish().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_CASE("files above the server's limit are refused, sent or announced") {
  ServiceRig rig;
  Upload announced(&rig, "big.bin", int64_t{9} << 20);
  CHECK(announced.Finish().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
  Upload sent(&rig, "big.bin");
  for (int i = 0; i < 9 && sent.Send(std::string(1 << 20, 'x')); ++i) {
  }
  CHECK(sent.Finish().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_CASE("bad paths are refused in every call") {
  ServiceRig rig;
  const std::string paths[] = {"../x",
                               "/etc/passwd",
                               "a/../b",
                               std::string("a\0b", 3),
                               "a//b",
                               std::string(300, 'n'),
                               std::string(5000, 'p')};
  for (const std::string& path : paths) {
    Upload upload(&rig, path);
    const grpc::Status status = upload.Finish();
    CHECK(status.error_code() == grpc::StatusCode::INVALID_ARGUMENT);
    CHECK(ServiceRig::InfoOf(status).reason() == "BAD_PATH");
    CHECK(Download(&rig, path).status.error_code() == grpc::StatusCode::INVALID_ARGUMENT);
    grpc::ClientContext context;
    v1::RemoveFileRequest remove;
    remove.set_session_id(rig.session());
    remove.set_path(path);
    v1::RemoveFileResponse none;
    CHECK(rig.stub().RemoveFile(&context, remove, &none).error_code() ==
          grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_CASE("an upload must begin with its target and then hold only data") {
  ServiceRig rig;
  grpc::ClientContext context;
  v1::FileInfo info;
  const auto writer = rig.stub().UploadFile(&context, &info);
  v1::UploadFileRequest data;
  data.set_data("x");
  writer->Write(data);
  writer->WritesDone();
  CHECK(writer->Finish().error_code() == grpc::StatusCode::INVALID_ARGUMENT);
  Upload twice(&rig, "a");
  v1::UploadFileRequest target;
  target.mutable_target()->set_path("b");
  twice.writer->Write(target);
  CHECK(twice.Finish().error_code() == grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_CASE("a client that limits a download is told when the file is larger") {
  ServiceRig rig;
  Upload upload(&rig, "data.bin");
  upload.Send("0123456789");
  REQUIRE(upload.Finish().ok());
  CHECK(Download(&rig, "data.bin", 0, 10).data == "0123456789");
  CHECK(Download(&rig, "data.bin", 0, 9).status.error_code() ==
        grpc::StatusCode::RESOURCE_EXHAUSTED);
  CHECK(Download(&rig, "data.bin", 11).status.error_code() == grpc::StatusCode::OUT_OF_RANGE);
  CHECK(Download(&rig, "data.bin", -1).status.error_code() == grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_CASE("listing and removing") {
  ServiceRig rig;
  for (const char* name : {"a", "b", "c"}) {
    Upload upload(&rig, name);
    REQUIRE(upload.Finish().ok());
  }
  const auto count = [&](int max_entries) {
    grpc::ClientContext context;
    v1::ListFilesRequest request;
    request.set_session_id(rig.session());
    request.set_max_entries(max_entries);
    const auto reader = rig.stub().ListFiles(&context, request);
    int entries = 0;
    v1::FileInfo info;
    while (reader->Read(&info)) ++entries;
    CHECK(reader->Finish().ok());
    return entries;
  };
  CHECK(count(0) == 3);
  CHECK(count(2) == 2);
  grpc::ClientContext context;
  v1::RemoveFileRequest remove;
  remove.set_session_id(rig.session());
  remove.set_path("a");
  v1::RemoveFileResponse none;
  CHECK(rig.stub().RemoveFile(&context, remove, &none).ok());
  CHECK(count(0) == 2);
}

}  // namespace
}  // namespace cellblock
