// The wire between the daemon and cellblock-init (PID 1 of a sandbox): one plain struct a SEQPACKET
// datagram, same machine and same build on both ends. Requests and replies carry a tag that the
// daemon chooses; wait reports have tag 0. init serves everything in one poll loop.
//
// All paths are relative to the work folder, resolved by init with
// openat2(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV).
#ifndef CELLBLOCK_SANDBOX_CHILD_INIT_PROTOCOL_H_
#define CELLBLOCK_SANDBOX_CHILD_INIT_PROTOCOL_H_

#include <stddef.h>
#include <stdint.h>

namespace cellblock::init {

inline constexpr size_t kMaxPath = 4096;  // with the closing NUL
inline constexpr size_t kMaxUploads = 8;  // at the same time; more are answered EAGAIN

enum class Op : uint32_t {
  // Signal `number` to the process group of `pid` (the worker: it leads a session). Reply: error.
  kSignalGroup = 1,
  // SIGKILL to every process in the sandbox but init. Reply: error (ESRCH if there was none).
  kKillAll = 2,
  // Opens a file for reading (O_RDONLY|O_NONBLOCK|O_NOCTTY|O_NOFOLLOW|O_CLOEXEC).
  // Reply: error, or the descriptor attached. The daemon checks that it is a regular file.
  kOpenRead = 3,
  // Copies the attached pipe's bytes into a temporary file beside `path` (folders are made). `mode`
  // is
  // the file's mode. Replied to when all is settled: error, value = bytes written. The file gets
  // its
  // name only after kUploadCommit; on an error nothing is left behind.
  kUpload = 4,
  // Lists the folder `path` ("" or "." = the work folder), with `flags` & kRecursive all below it.
  // Replies: kEntry once per entry, at most `number`, then kReply (value = 1 if cut short).
  // Links are listed, never followed. Names that do not fit kMaxPath are left out and counted
  // in `error` = ENAMETOOLONG of the last reply.
  kList = 5,
  // Removes a file, link or empty folder; with `flags` & kRecursive a folder and all below it.
  kRemove = 6,
  // Bytes and inodes in use on the session's file system. Reply: value, value2 = inodes.
  kUsage = 7,
  // With the upload's tag, after the pipe's write end was closed: rename if exactly `number` bytes
  // came (else EPROTO; -1 = however many). The upload's reply is the answer.
  kUploadCommit = 8,
  // With the upload's tag: drop it (its reply is ECANCELED).
  kUploadAbort = 9,
};

inline constexpr uint32_t kRecursive = 1;

struct Request {
  Op op;
  uint32_t tag;  // not 0
  uint32_t flags;
  uint32_t mode;
  int32_t pid;  // as seen inside the sandbox
  int32_t reserved;
  int64_t number;
  char path[kMaxPath];  // NUL-terminated; a datagram may end right after the NUL
};

enum class Kind : uint32_t {
  kHello = 0,  // once, when init serves
  kReply = 1,
  kEntry = 2,  // of a kList
  kWait = 3,   // a child of init ended: pid, value = wait status, the rest its rusage
};

enum class EntryType : uint32_t { kRegular = 1, kDirectory = 2, kSymlink = 3, kOther = 4 };

struct Message {
  Kind kind;
  uint32_t tag;
  int32_t error;        // errno, 0 = well
  int32_t pid;          // kWait
  int64_t value;        // kWait: wait status; kEntry: size
  int64_t value2;       // kWait: user + system CPU in microseconds; kEntry: mtime in nanoseconds
  int64_t value3;       // kWait: peak resident set in KiB; kEntry: inode number
  EntryType type;       // kEntry
  uint32_t mode;        // kEntry: permission bits
  int64_t ctime_ns;     // kEntry
  char path[kMaxPath];  // kEntry: relative to the work folder; the datagram ends after the NUL
};

inline constexpr size_t kRequestHead = offsetof(Request, path);
inline constexpr size_t kMessageHead = offsetof(Message, path);

}  // namespace cellblock::init

#endif  // CELLBLOCK_SANDBOX_CHILD_INIT_PROTOCOL_H_
