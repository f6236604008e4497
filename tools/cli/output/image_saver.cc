#include "tools/cli/output/image_saver.h"

#include <fcntl.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cellblock/v1/cell.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/cli/files/replace_file.h"

namespace cellblock::cli {
namespace {

struct Kind {
  const char* mime;
  const char* suffix;
};
// The best form first.
constexpr Kind kKinds[] = {
    {"image/png", ".png"}, {"image/jpeg", ".jpg"}, {"image/svg+xml", ".svg"}};

}  // namespace

absl::StatusOr<std::string> ImageSaver::Save(const v1::MimeBundle& bundle) {
  for (const Kind& kind : kKinds) {
    const auto found = bundle.data().find(kind.mime);
    if (found == bundle.data().end()) continue;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) return ErrnoStatus("make folder", folder_, error.value());
    const UniqueFd folder(open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.valid()) return ErrnoStatus("open", folder_, errno);
    const std::string name = absl::StrFormat("image-%03d%s", ++count_, kind.suffix);
    CELLBLOCK_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(folder.get(), name));
    CELLBLOCK_RETURN_IF_ERROR(WriteAll(file.fd(), found->second));
    CELLBLOCK_RETURN_IF_ERROR(file.Commit(0644));
    return absl::StrCat(folder_, "/", name);
  }
  return std::string();
}

}  // namespace cellblock::cli
