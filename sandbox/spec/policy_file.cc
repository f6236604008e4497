#include "sandbox/spec/policy_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/spec/policy_name.h"

namespace cellblock {

absl::StatusOr<PolicySource> ReadPolicyFile(const std::string& path) {
  // O_NONBLOCK: a pipe of that name must not hold us.
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid() && errno == ELOOP) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a symbolic link: a policy must be the file itself"));
  }
  if (!fd.valid()) return ErrnoStatus("open", path, errno);
  struct stat entry;
  if (fstat(fd.get(), &entry) != 0) return ErrnoStatus("stat", path, errno);
  if (!S_ISREG(entry.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  }
  absl::StatusOr<std::string> text = ReadOpenFile(fd.get(), path, kMaxPolicyBytes);
  if (absl::IsResourceExhausted(text.status())) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is larger than 1 MiB: no policy is"));
  }
  if (!text.ok()) return text.status();
  return PolicySource{*std::move(text), path};
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

absl::StatusOr<PolicySource> FindPolicyFile(const std::string& name,
                                            const std::vector<std::string>& folders) {
  if (!IsPolicyName(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::CHexEscape(name), "\" ", kPolicyNameRule));
  }
  for (const std::string& folder : folders) {
    const std::string stem = absl::StrCat(folder == "." ? "" : folder + "/", name);
    absl::StatusOr<PolicySource> text = ReadPolicyFile(stem + ".textproto");
    absl::StatusOr<PolicySource> json = ReadPolicyFile(stem + ".json");
    if (!absl::IsNotFound(text.status()) && !absl::IsNotFound(json.status())) {
      return absl::InvalidArgumentError(
          absl::StrCat(stem, ".textproto and ", stem, ".json are both there: remove one"));
    }
    if (!absl::IsNotFound(text.status())) return text;
    if (!absl::IsNotFound(json.status())) return json;
  }
  return absl::NotFoundError(
      absl::StrCat("no ", name, ".textproto or ", name, ".json in ", absl::StrJoin(folders, ", ")));
}

}  // namespace cellblock
