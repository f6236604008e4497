#include "tools/cli/files/replace_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "tools/cli/output/neutralize.h"
#include "tools/client/random_id.h"

namespace cellblock::cli {

FileReplacement::FileReplacement(int folder, std::string name, std::string temporary, UniqueFd file)
    : folder_(folder),
      name_(std::move(name)),
      temporary_(std::move(temporary)),
      file_(std::move(file)) {}

absl::StatusOr<FileReplacement> FileReplacement::Begin(int folder, const std::string& name) {
  std::string temporary = absl::StrCat(".cellblock-", MakeClientId());
  UniqueFd file(
      openat(folder, temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return ErrnoStatus("create a file beside", OneLine(name), errno);
  return FileReplacement(folder, name, std::move(temporary), std::move(file));
}

FileReplacement::~FileReplacement() {
  if (file_.valid()) unlinkat(folder_, temporary_.c_str(), 0);
}

absl::Status FileReplacement::Commit(mode_t mode) {
  struct stat old;
  const bool replaces =
      fstatat(folder_, name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode);
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file_.get(), replaces ? old.st_mode & 0777 : mode & 0777 & ~mask) != 0) {
    return ErrnoStatus("chmod", OneLine(name_), errno);
  }
  if (renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) {
    return ErrnoStatus("rename to", OneLine(name_), errno);
  }
  file_.reset();
  return absl::OkStatus();
}

}  // namespace cellblock::cli
