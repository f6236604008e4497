#include "sandbox/launcher/copy_tree.h"

#include <filesystem>

#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {

namespace fs = std::filesystem;

absl::Status CopyTree(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(fs::path(to).parent_path(), error);
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  return error ? StepFailed("copy", from, error.value()) : absl::OkStatus();
}

}  // namespace cellblock::launcher
