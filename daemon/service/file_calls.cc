// Calls about files. Contents stream through in bounded memory; the daemon never resolves a path
// itself, it only reads and writes descriptors that the sandbox's init opened.
#include <fcntl.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/calls.h"
#include "daemon/service/convert.h"
#include "daemon/service/validate.h"
#include "daemon/session/error.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr int64_t kMaxListing = 100000;
constexpr int kPollMs = 50;
constexpr uint32_t kExecutableMode = 0755, kPlainMode = 0644;

absl::Status ClientGone() {
  return absl::CancelledError("the client is gone");
}

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_, EVP_sha256(), nullptr); }
  ~Sha256() { EVP_MD_CTX_free(context_); }
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void Add(absl::string_view data) { EVP_DigestUpdate(context_, data.data(), data.size()); }
  std::string Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    EVP_DigestFinal_ex(context_, digest.data(), &size);
    return std::string(reinterpret_cast<const char*>(digest.data()), size);
  }

 private:
  EVP_MD_CTX* const context_;
};

absl::Status TooLarge(absl::string_view what, int64_t limit) {
  return MakeError(absl::StatusCode::kResourceExhausted,
                   absl::StrCat("the file is larger than ", what, " takes: ", limit, " bytes"),
                   {.reason = "FILE_TOO_LARGE", .object = std::string(what)});
}

// The pipe's write end, which init reads. init stops reading when the session's disk is full; the
// reason comes from Finish.
class PipeWriter {
 public:
  explicit PipeWriter(int fd) : fd_(fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

  // False once init has stopped reading. Cancelled when the client is gone.
  absl::StatusOr<bool> Write(absl::string_view data, Cancelled cancelled) {
    while (!data.empty()) {
      const ssize_t written = write(fd_, data.data(), data.size());
      if (written >= 0) {
        data.remove_prefix(written);
        continue;
      }
      if (errno == EPIPE) return false;
      if (errno != EAGAIN && errno != EINTR) return ErrnoStatus("write", "upload pipe", errno);
      pollfd wait = {fd_, POLLOUT, 0};
      if (poll(&wait, 1, kPollMs) == 0 && cancelled()) return ClientGone();
    }
    return true;
  }

 private:
  const int fd_;
};

// A stream that the client half-closed and one that broke off both end by a failed read; the
// cancellation of the latter may show an instant later.
bool BrokeOff(Cancelled cancelled) {
  for (int i = 0; i < 3; ++i) {
    if (cancelled()) return true;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return cancelled();
}

struct Received {
  int64_t size = 0;
  std::string sha256;
};

absl::StatusOr<Received> Receive(StreamReader<v1::UploadFileRequest> read, Cancelled cancelled,
                                 int64_t limit, PipeWriter* pipe) {
  v1::UploadFileRequest message;
  Received received;
  Sha256 digest;
  while (read(&message)) {
    if (!message.has_data()) return BadField("part", "only the first message names the file");
    received.size += static_cast<int64_t>(message.data().size());
    if (received.size > limit) return TooLarge("max_upload_bytes", limit);
    digest.Add(message.data());
    CELLBLOCK_ASSIGN_OR_RETURN(const bool wanted, pipe->Write(message.data(), cancelled));
    if (!wanted) break;
  }
  received.sha256 = digest.Finish();
  return received;
}

absl::Status CheckComplete(const v1::UploadFileRequest::Target& target, const Received& received,
                           Cancelled cancelled) {
  if (target.has_size()) {
    if (received.size == target.size().value()) return absl::OkStatus();
    if (cancelled()) return ClientGone();
    return BadField("target.size", absl::StrCat(target.size().value(), " bytes announced, ",
                                                received.size, " came"));
  }
  return BrokeOff(cancelled) ? ClientGone() : absl::OkStatus();
}

// Only a regular file is ever read: a FIFO or a device would block, or never end.
absl::StatusOr<struct stat> StatRegular(int fd, const std::string& path) {
  struct stat status;
  if (fstat(fd, &status) != 0) return ErrnoStatus("stat", Printable(path), errno);
  if (S_ISREG(status.st_mode)) return status;
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat(Printable(path, 256), ": not a regular file"),
                   {.reason = "NOT_A_REGULAR_FILE", .object = Printable(path, 256)});
}

absl::Status SendRange(int fd, const std::string& path, int64_t offset, int64_t length,
                       Writer<v1::DownloadFileResponse> write) {
  v1::DownloadFileResponse message;
  while (length > 0) {
    std::string* data = message.mutable_data();
    data->resize(std::min<int64_t>(kChunk, length));
    const ssize_t got = pread(fd, data->data(), data->size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus("read", Printable(path, 256), errno);
    if (got == 0) {
      return MakeError(
          absl::StatusCode::kAborted,
          absl::StrCat(Printable(path, 256), ": became shorter while being read"),
          {.reason = "FILE_CHANGED", .object = Printable(path, 256), .retryable = true});
    }
    data->resize(got);
    offset += got;
    length -= got;
    if (!write(message, length > 0 ? Place::kNotLast : Place::kLast)) return ClientGone();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Session>> Usable(SessionRegistry* registry, const std::string& id) {
  CELLBLOCK_ASSIGN_OR_RETURN(auto session, registry->Find(kLocalTenant, id));
  CELLBLOCK_RETURN_IF_ERROR(session->CheckAlive());
  return session;
}

absl::Status CheckPath(const std::string& path) {
  const absl::Status status = CheckSandboxPath(path);
  if (status.ok()) return status;
  return MakeError(absl::StatusCode::kInvalidArgument, status.message(),
                   {.reason = "BAD_PATH",
                    .object = Printable(path, 256),
                    .remedy = "name a file below the work folder, without . or .. parts"});
}

// A failure that init or the pipe told says nothing about the file yet.
absl::Status About(const std::string& path, absl::Status status) {
  if (status.ok() || !DetailOf(status).object.empty()) return status;
  ErrorDetail detail = DetailOf(status);
  detail.object = Printable(path, 256);
  return MakeError(status.code(), status.message(), detail);
}

template <typename T>
absl::StatusOr<T> About(const std::string& path, absl::StatusOr<T> result) {
  if (result.ok()) return result;
  return About(path, result.status());
}

}  // namespace

absl::Status FileCalls::Upload(StreamReader<v1::UploadFileRequest> read, Cancelled cancelled,
                               v1::FileInfo* reply) {
  v1::UploadFileRequest first;
  if (!read(&first) || !first.has_target()) {
    return BadField("target", "the first message must name the file");
  }
  const v1::UploadFileRequest::Target& target = first.target();
  CELLBLOCK_RETURN_IF_ERROR(CheckPath(target.path()));
  if (target.size().value() < 0) return BadField("target.size", "must not be negative");
  if (target.size().value() > facts_->max_upload_bytes) {
    return TooLarge("max_upload_bytes", facts_->max_upload_bytes);
  }
  CELLBLOCK_ASSIGN_OR_RETURN(auto session, Usable(registry_, target.session_id()));
  const Session::Use use(std::move(session));
  const uint32_t mode = (target.mode() & S_IXUSR) != 0 ? kExecutableMode : kPlainMode;
  CELLBLOCK_ASSIGN_OR_RETURN(const auto upload,
                             About(target.path(), use.files().StartUpload(target.path(), mode)));
  PipeWriter pipe(upload->pipe());
  CELLBLOCK_ASSIGN_OR_RETURN(const Received received,
                             Receive(read, cancelled, facts_->max_upload_bytes, &pipe));
  CELLBLOCK_RETURN_IF_ERROR(CheckComplete(target, received, cancelled));
  CELLBLOCK_RETURN_IF_ERROR(About(target.path(), upload->Finish()));
  reply->set_path(target.path());
  reply->set_type(v1::REGULAR);
  reply->set_size(received.size);
  reply->set_mode(mode);
  reply->set_sha256(received.sha256);
  return absl::OkStatus();
}

absl::Status FileCalls::Download(const v1::DownloadFileRequest& request,
                                 Writer<v1::DownloadFileResponse> write) {
  CELLBLOCK_RETURN_IF_ERROR(CheckPath(request.path()));
  if (request.offset() < 0) return BadField("offset", "must not be negative");
  if (request.max_bytes() < 0) return BadField("max_bytes", "must not be negative");
  CELLBLOCK_ASSIGN_OR_RETURN(auto session, Usable(registry_, request.session_id()));
  const Session::Use use(std::move(session));
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd file,
                             About(request.path(), use.files().OpenRead(request.path())));
  CELLBLOCK_ASSIGN_OR_RETURN(const struct stat status, StatRegular(file.get(), request.path()));
  if (request.offset() > status.st_size) {
    return MakeError(absl::StatusCode::kOutOfRange, "offset lies beyond the end of the file",
                     {.reason = "BAD_FIELD", .object = "offset"});
  }
  const int64_t limit = request.max_bytes() > 0
                            ? std::min(request.max_bytes(), facts_->max_download_bytes)
                            : facts_->max_download_bytes;
  // By apparent size: a sparse file of a terabyte costs its owner nothing and us a terabyte.
  const int64_t length = status.st_size - request.offset();
  if (length > limit) {
    return TooLarge(request.max_bytes() > 0 ? "max_bytes" : "max_download_bytes", limit);
  }
  FileEntry entry;
  entry.path = request.path();
  entry.size = status.st_size;
  entry.modified = absl::TimeFromTimespec(status.st_mtim);
  entry.mode = status.st_mode & 07777;
  v1::DownloadFileResponse head;
  ToProto(entry, head.mutable_info());
  if (!write(head, length > 0 ? Place::kNotLast : Place::kLast)) return ClientGone();
  return SendRange(file.get(), request.path(), request.offset(), length, write);
}

absl::Status FileCalls::List(const v1::ListFilesRequest& request, Writer<v1::FileInfo> write) {
  if (!request.path().empty()) CELLBLOCK_RETURN_IF_ERROR(CheckPath(request.path()));
  if (request.max_entries() < 0) return BadField("max_entries", "must not be negative");
  const int64_t wanted = request.max_entries() > 0 ? request.max_entries() : kMaxListing;
  CELLBLOCK_ASSIGN_OR_RETURN(auto session, Usable(registry_, request.session_id()));
  const Session::Use use(std::move(session));
  CELLBLOCK_ASSIGN_OR_RETURN(
      const FileListing listing,
      About(request.path(),
            use.files().List(request.path(), request.recursive(), std::min(wanted, kMaxListing))));
  v1::FileInfo message;
  for (const FileEntry& entry : listing.entries) {
    message.Clear();
    ToProto(entry, &message);
    if (!write(message, Place::kNotLast)) return ClientGone();
  }
  const bool as_asked = request.max_entries() > 0 && wanted <= kMaxListing;
  if (!listing.truncated || as_asked) return absl::OkStatus();
  return MakeError(absl::StatusCode::kResourceExhausted,
                   absl::StrCat("more than ", kMaxListing,
                                " entries, or folders nested too deep: the rest is not listed"),
                   {.reason = "LISTING_TRUNCATED",
                    .object = Printable(request.path(), 256),
                    .remedy = "list folder by folder"});
}

absl::Status FileCalls::Remove(const v1::RemoveFileRequest& request) {
  CELLBLOCK_RETURN_IF_ERROR(CheckPath(request.path()));
  CELLBLOCK_ASSIGN_OR_RETURN(auto session, Usable(registry_, request.session_id()));
  const Session::Use use(std::move(session));
  return About(request.path(), use.files().Remove(request.path(), request.recursive()));
}

}  // namespace cellblock
