// The daemon's end of an init's socket: files of one sandbox, signals, and how its children ended.
// Thread-safe; there is no reader thread: whoever waits reads, and hands foreign replies on.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_INIT_CLIENT_H_
#define CELLBLOCK_SANDBOX_RUNTIME_INIT_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock {

enum class EntryType { kRegular, kDirectory, kSymlink, kOther };

struct FileEntry {
  std::string path;  // relative to the work folder; any bytes but NUL
  EntryType type = EntryType::kRegular;
  int64_t size = 0;
  absl::Time modified;
  int64_t ctime_ns = 0;
  uint64_t inode = 0;
  uint32_t mode = 0;
};

struct FileListing {
  std::vector<FileEntry> entries;
  bool truncated = false;
};

struct WaitReport {
  int32_t pid = 0;
  int status = 0;  // as waitpid gives it
  absl::Duration cpu;
  int64_t peak_rss_bytes = 0;
};

// OK for a relative path of at most 4095 bytes whose parts are 1 to 255 bytes, none of them "." or
// "..", without NUL. Else INVALID_ARGUMENT saying which rule it breaks.
absl::Status CheckSandboxPath(absl::string_view path);

class InitClient {
 public:
  explicit InitClient(UniqueFd socket);
  ~InitClient();
  InitClient(const InitClient&) = delete;
  InitClient& operator=(const InitClient&) = delete;

  // Errors: NOT_FOUND, FAILED_PRECONDITION (wrong file type, directory not empty), INVALID_ARGUMENT
  // (path), RESOURCE_EXHAUSTED (ENOSPC, EDQUOT, EMFILE), PERMISSION_DENIED (EACCES, EXDEV, ELOOP),
  // UNAVAILABLE (init is gone). All name the path.
  absl::Status SignalGroup(int32_t pid, int signal);
  absl::Status KillAll();
  absl::StatusOr<UniqueFd> OpenRead(absl::string_view path);  // not yet checked to be regular
  absl::StatusOr<FileListing> List(absl::string_view path, bool recursive, int64_t max_entries);
  absl::Status Remove(absl::string_view path, bool recursive);

  // An upload under way: write to pipe(), then Finish.
  class Upload {
   public:
    ~Upload();  // aborts if not finished
    int pipe() const;
    // Closes the pipe and waits for init's answer: OK once the file stands under its name.
    absl::Status Finish();

   private:
    friend class InitClient;
    struct State;
    std::unique_ptr<State> state_;
  };
  // `size` -1 = not known beforehand. The file gets its name only by Finish, and only if as many
  // bytes came as were promised; destruction without Finish leaves nothing.
  absl::StatusOr<std::unique_ptr<Upload>> StartUpload(absl::string_view path, uint32_t mode,
                                                      int64_t size);

  // What the session's files occupy, in bytes; waits for init a short while only.
  absl::StatusOr<int64_t> DiskBytesUsed();

  // Grows with every upload and removal, once it has had its effect.
  int64_t writes() const;

  // Readable when init has said something. A cell that leaves many orphans fills the socket with
  // their reports, and an init that waits for room reaps no more: TakeReports makes room.
  int fd() const;
  void TakeReports();

  // The report for `pid` if it has come by `deadline`; nullopt if not, or if init is gone.
  std::optional<WaitReport> AwaitExit(int32_t pid, absl::Time deadline);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_INIT_CLIENT_H_
