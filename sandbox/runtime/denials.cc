#include "sandbox/runtime/denials.h"

#include <array>
#include <cerrno>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cellblock {
namespace {

constexpr std::array<absl::string_view, 5> kWritable = {"/work", "/home/cell", "/tmp", "/var/tmp",
                                                        "/dev/shm"};

bool IsOutside(absl::string_view path) {
  if (path.empty() || path[0] != '/') return false;
  for (const absl::string_view folder : kWritable) {
    if (path == folder || absl::StartsWith(path, absl::StrCat(folder, "/"))) return false;
  }
  return true;
}

// The line of the cell, or of a library, that was refused.
std::string Line(const CellError& error) {
  return error.frames.empty() ? "" : error.frames.back().source;
}

Denial Unreachable(const CellError& error) {
  return {"network.allow", "the session has a network of its own with nothing but loopback in it",
          error.os_target, error.unresolved ? "look up the name of" : "connect to",
          "work with files that are uploaded into the work folder; a policy with this host in "
          "network.allow is for the operator to give"};
}

Denial NotWritable(const CellError& error) {
  return {"filesystem",
          "the image is read-only: only the work folder, the home folder, /tmp, /var/tmp and "
          "/dev/shm can be written",
          error.os_path, "open or change",
          "use a path in the work folder, which is the current folder"};
}

Denial AtLimit(absl::string_view limit, int64_t value, absl::string_view unit,
               const std::string& subject, absl::string_view attempt, absl::string_view remedy) {
  return {absl::StrCat("limits.", limit), absl::StrCat("the session may have ", value, " ", unit),
          subject, std::string(attempt), std::string(remedy)};
}

Denial DiskFull(const CellError& error, const Limits& limits) {
  Denial denial = AtLimit("disk_bytes", limits.disk_bytes, "bytes of files", error.os_path, "write",
                          "remove files that are not needed, or write less");
  absl::StrAppend(&denial.reason, " (", limits.disk_inodes, " of them), ", limits.shm_bytes,
                  " bytes in /dev/shm");
  return denial;
}

std::optional<Denial> ByNumber(const CellError& error, const Limits& limits) {
  switch (error.os_errno) {
    case ENETUNREACH:
    case EHOSTUNREACH:
      return Unreachable(error);
    case EROFS:
      return NotWritable(error);
    case EACCES:
      if (IsOutside(error.os_path)) return NotWritable(error);
      return std::nullopt;  // the session's own modes
    case EPERM:
      return Denial{"syscalls", "the session has no privileges and its system calls are filtered",
                    error.os_path.empty() ? Line(error) : error.os_path,
                    "call what needs privilege",
                    "do without it; `cellblock policy explain` says what decides about a call"};
    case EFBIG:
      return AtLimit("file_size_bytes", limits.file_size_bytes, "bytes in one file", error.os_path,
                     "enlarge", "write several files");
    case EMFILE:
      return AtLimit("open_files", limits.open_files, "descriptors a process", error.os_path,
                     "open", "close what is not needed, with `with`");
    default:
      return std::nullopt;
  }
}

}  // namespace

std::vector<Denial> DenialsOf(const CellError& error, const Limits& limits) {
  if (error.unresolved) return {Unreachable(error)};
  if (error.disk_full) return {DiskFull(error, limits)};
  if (error.memory) {
    return {AtLimit("memory_bytes", limits.memory_bytes, "bytes of memory", Line(error), "allocate",
                    "read in pieces, use smaller types, or delete what is not needed")};
  }
  if (error.no_processes) {
    return {AtLimit("pids", limits.pids, "processes and threads", Line(error), "start",
                    "start fewer, and wait for them")};
  }
  const std::optional<Denial> denial = ByNumber(error, limits);
  if (!denial.has_value()) return {};
  return {*denial};
}

}  // namespace cellblock
