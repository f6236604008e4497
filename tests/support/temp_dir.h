// A folder under the system's temporary folder that is removed with its owner.
#ifndef CELLBLOCK_TESTS_SUPPORT_TEMP_DIR_H_
#define CELLBLOCK_TESTS_SUPPORT_TEMP_DIR_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace cellblock {

class TempDir {
 public:
  TempDir() {
    std::string pattern = std::filesystem::temp_directory_path() / "cellblock-test-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_SUPPORT_TEMP_DIR_H_
