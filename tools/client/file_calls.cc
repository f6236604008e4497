// File contents, streamed in pieces between a descriptor and the server.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/client/client_impl.h"

namespace cellblock {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

// The next piece of `fd`: from `offset` if it is a regular file, else from where it stands.
absl::Status ReadChunk(int fd, std::optional<int64_t> offset, size_t limit, std::string* chunk) {
  chunk->resize(limit);
  ssize_t count = 0;
  do {
    count = offset.has_value() ? pread(fd, chunk->data(), limit, *offset)
                               : read(fd, chunk->data(), limit);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return ErrnoStatus("read", "the file to upload", errno);
  chunk->resize(count);
  return absl::OkStatus();
}

// Sends everything. A server that stops reading says why in Finish.
absl::Status Send(int fd, std::optional<int64_t> size,
                  grpc::ClientWriter<v1::UploadFileRequest>* writer) {
  v1::UploadFileRequest message;
  int64_t sent = 0;
  while (!size.has_value() || sent < *size) {
    const size_t limit = size.has_value() ? std::min<int64_t>(kChunk, *size - sent) : kChunk;
    CELLBLOCK_RETURN_IF_ERROR(ReadChunk(fd, size.has_value() ? std::optional(sent) : std::nullopt,
                                        limit, message.mutable_data()));
    if (message.data().empty()) break;
    sent += static_cast<int64_t>(message.data().size());
    if (!writer->Write(message)) return absl::OkStatus();
  }
  if (size.has_value() && sent < *size) {
    return absl::AbortedError("the file became shorter while it was read");
  }
  writer->WritesDone();
  return absl::OkStatus();
}

}  // namespace

absl::Status SandboxClient::UploadFile(const std::string& session_id, const std::string& path,
                                       uint32_t mode, int fd, v1::FileInfo* info) {
  struct stat status;
  if (fstat(fd, &status) != 0) return ErrnoStatus("stat", "the file to upload", errno);
  std::optional<int64_t> size;
  if (S_ISREG(status.st_mode)) size = status.st_size;
  v1::UploadFileRequest first;
  v1::UploadFileRequest::Target* target = first.mutable_target();
  target->set_session_id(session_id);
  target->set_path(path);
  target->set_mode(mode);
  if (size.has_value()) target->mutable_size()->set_value(*size);
  // A pipe cannot be read a second time.
  return impl_->Repeat(size.has_value() ? Repeatable::kYes : Repeatable::kNo, [&] {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kTransfer));
    info->Clear();
    const auto writer = impl_->stub->UploadFile(&context, info);
    if (writer->Write(first)) {
      const absl::Status sent = Send(fd, size, writer.get());
      if (!sent.ok()) {
        context.TryCancel();
        writer->Finish();
        return sent;
      }
    }
    return FromGrpcStatus(writer->Finish());
  });
}

absl::Status SandboxClient::DownloadFile(const std::string& session_id, const std::string& path,
                                         int fd, v1::FileInfo* info) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kTransfer));
  v1::DownloadFileRequest request;
  request.set_session_id(session_id);
  request.set_path(path);
  const auto reader = impl_->stub->DownloadFile(&context, request);
  v1::DownloadFileResponse message;
  absl::Status written;
  int64_t received = 0;
  while (reader->Read(&message)) {
    if (message.has_info()) *info = message.info();
    received += static_cast<int64_t>(message.data().size());
    if (!written.ok()) continue;
    written = WriteAll(fd, message.data());
    if (!written.ok()) context.TryCancel();
  }
  const absl::Status status = FromGrpcStatus(reader->Finish());
  if (!written.ok()) return written;
  if (status.ok() && received != info->size()) {
    return absl::DataLossError(absl::StrCat(received, " bytes came of a file of ", info->size()));
  }
  return status;
}

absl::Status SandboxClient::ListFiles(const std::string& session_id, const std::string& path,
                                      bool recursive, const FileSink& sink) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kLongCall));
  v1::ListFilesRequest request;
  request.set_session_id(session_id);
  request.set_path(path);
  request.set_recursive(recursive);
  const auto reader = impl_->stub->ListFiles(&context, request);
  v1::FileInfo info;
  while (reader->Read(&info)) sink(info);
  return FromGrpcStatus(reader->Finish());
}

absl::Status SandboxClient::RemoveFile(const std::string& session_id, const std::string& path,
                                       bool recursive) {
  v1::RemoveFileRequest request;
  request.set_session_id(session_id);
  request.set_path(path);
  request.set_recursive(recursive);
  v1::RemoveFileResponse response;
  return impl_->Call(&v1::Runtime::Stub::RemoveFile, request, &response, Repeatable::kNo);
}

}  // namespace cellblock
