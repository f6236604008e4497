// Saves the images that cells show as numbered files of a folder, which is made with the first one.
#ifndef CELLBLOCK_TOOLS_CLI_OUTPUT_IMAGE_SAVER_H_
#define CELLBLOCK_TOOLS_CLI_OUTPUT_IMAGE_SAVER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace cellblock::v1 {
class MimeBundle;
}

namespace cellblock::cli {

class ImageSaver {
 public:
  explicit ImageSaver(std::string folder) : folder_(std::move(folder)) {}

  // The path of the saved file; "" if the bundle holds no image. Replaces a file of that name.
  absl::StatusOr<std::string> Save(const v1::MimeBundle& bundle);

 private:
  const std::string folder_;
  int count_ = 0;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_OUTPUT_IMAGE_SAVER_H_
