#include "tools/cli/files/name_pair.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/status.h"
#include "tools/cli/files/replace_file.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

std::string LastPart(const std::string& path) {
  return fs::path(path).filename();
}

}  // namespace

absl::StatusOr<NamePair> ParseNamePair(absl::string_view text) {
  const size_t colon = text.rfind(':');
  NamePair pair;
  pair.from = std::string(text.substr(0, colon));
  pair.to =
      colon == absl::string_view::npos ? LastPart(pair.from) : std::string(text.substr(colon + 1));
  if (pair.from.empty() || pair.to.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(OneLine(text), ": names no file; give it as FROM or FROM:TO"));
  }
  return pair;
}

absl::Status UploadPair(SandboxClient* client, const std::string& session_id,
                        const NamePair& pair) {
  v1::FileInfo info;
  const UniqueFd file(open(pair.from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return ErrnoStatus("open", OneLine(pair.from), errno);
  struct stat status;
  if (fstat(file.get(), &status) != 0) return ErrnoStatus("stat", OneLine(pair.from), errno);
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(
        OneLine(pair.from) + ": is a folder; --workdir of `cellblock run` brings in a folder");
  }
  return client->UploadFile(session_id, pair.to, status.st_mode & 0777, file.get(), &info);
}

absl::Status DownloadPair(SandboxClient* client, const std::string& session_id,
                          const NamePair& pair) {
  v1::FileInfo info;
  if (pair.to == "-") return client->DownloadFile(session_id, pair.from, STDOUT_FILENO, &info);
  fs::path target(pair.to);
  std::error_code error;
  if (fs::is_directory(target, error)) target /= LastPart(pair.from);
  const std::string folder_path = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const UniqueFd folder(open(folder_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return ErrnoStatus("open folder", OneLine(folder_path), errno);
  CELLBLOCK_ASSIGN_OR_RETURN(FileReplacement file,
                             FileReplacement::Begin(folder.get(), target.filename()));
  CELLBLOCK_RETURN_IF_ERROR(client->DownloadFile(session_id, pair.from, file.fd(), &info));
  return file.Commit((info.mode() & 0100) != 0 ? 0777 : 0666);
}

}  // namespace cellblock::cli
