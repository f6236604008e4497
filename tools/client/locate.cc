#include "tools/client/locate.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace cellblock {

absl::StatusOr<std::string> FindProgram(const std::string& name) {
  std::vector<std::string> folders;
  const char* given = std::getenv("CELLBLOCK_LIBEXEC");
  if (given != nullptr && *given != '\0') {
    folders.emplace_back(given);
  } else {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path prefix = self.parent_path().parent_path();
    folders = {self.parent_path(), prefix / "bin", prefix / "sbin", prefix / "libexec/cellblock"};
  }
  for (const std::string& folder : folders) {
    const std::string path = absl::StrCat(folder, "/", name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::NotFoundError(absl::StrCat(name, " is not in ", absl::StrJoin(folders, ", "),
                                          "; install it, or set CELLBLOCK_LIBEXEC to its folder"));
}

}  // namespace cellblock
