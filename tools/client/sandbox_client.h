// A typed client of cellblock.v1.Runtime: the only gRPC client code of the project.
//
// Every call blocks and has a deadline, except Execute, whose length is the server's to limit.
// Calls that may be repeated without harm are, with back-off, when the server is unavailable or
// says that trying again may help. Safe to use from several threads at once. Errors carry what
// the server said about them: ServerErrorOf (server_error.h).
#ifndef CELLBLOCK_TOOLS_CLIENT_SANDBOX_CLIENT_H_
#define CELLBLOCK_TOOLS_CLIENT_SANDBOX_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/client/retry.h"

namespace cellblock::v1 {
class CellResult;
class CreateSessionRequest;
class ExecuteEvent;
class ExecuteRequest;
class Execution;
class FileInfo;
class ListSessionsResponse;
class ServerInfo;
class Session;
class WipeReceipt;
}  // namespace cellblock::v1

namespace cellblock {

constexpr int kMaxClientMessageBytes = 32 << 20;

struct ClientOptions {
  absl::Duration connect_timeout = absl::Seconds(10);
  RetryPolicy retry;
};

class SandboxClient {
 public:
  // `address` is unix:/path, an absolute path, or host:port. UNAVAILABLE if nobody answers in time.
  static absl::StatusOr<std::unique_ptr<SandboxClient>> Connect(const std::string& address,
                                                                const ClientOptions& options);
  ~SandboxClient();
  SandboxClient(const SandboxClient&) = delete;
  SandboxClient& operator=(const SandboxClient&) = delete;

  absl::Status GetServerInfo(v1::ServerInfo* info);
  // Gives the request an idempotency key if it has none, so that a lost answer makes no second
  // session.
  absl::Status CreateSession(const v1::CreateSessionRequest& request, v1::Session* session);
  absl::Status GetSession(const std::string& session_id, v1::Session* session);
  absl::Status ListSessions(v1::ListSessionsResponse* response);
  absl::Status DeleteSession(const std::string& session_id, v1::WipeReceipt* receipt);

  // Called once for each event, in order, on the calling thread. False: no more is wanted.
  using EventSink = std::function<bool(const v1::ExecuteEvent&)>;
  // Runs one cell to its end. The request's execution_id must be set (MakeClientId). A stream that
  // is lost is joined again after the last event seen; the cell never runs twice. CANCELLED once
  // the sink wants no more.
  absl::Status Execute(const v1::ExecuteRequest& request, const EventSink& sink,
                       v1::CellResult* result);
  absl::Status GetExecution(const std::string& session_id, const std::string& execution_id,
                            v1::Execution* execution);
  // Nothing is killed; false: nothing was running.
  absl::StatusOr<bool> Interrupt(const std::string& session_id, const std::string& execution_id);
  absl::Status Cancel(const std::string& session_id, const std::string& execution_id,
                      v1::CellResult* result);
  // Ends the interpreter and gives the new epoch.
  absl::StatusOr<int64_t> Kill(const std::string& session_id);
  absl::Status ProvideInput(const std::string& session_id, const std::string& execution_id,
                            absl::string_view text, bool end_of_file);

  // Reads `fd` to its end; a regular file is announced with its size, so that one which changes
  // meanwhile leaves nothing behind.
  absl::Status UploadFile(const std::string& session_id, const std::string& path, uint32_t mode,
                          int fd, v1::FileInfo* info);
  // Writes to `fd`; what was written before an error is the caller's to discard.
  absl::Status DownloadFile(const std::string& session_id, const std::string& path, int fd,
                            v1::FileInfo* info);
  using FileSink = std::function<void(const v1::FileInfo&)>;
  absl::Status ListFiles(const std::string& session_id, const std::string& path, bool recursive,
                         const FileSink& sink);
  absl::Status RemoveFile(const std::string& session_id, const std::string& path, bool recursive);

 private:
  struct Impl;
  explicit SandboxClient(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_SANDBOX_CLIENT_H_
