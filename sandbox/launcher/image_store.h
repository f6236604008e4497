// Images that were built with `cellblock rootfs`: STORE/NAME with seal.textproto and root.erofs,
// root.squashfs or root/. An image file is mounted once, read-only, in the launcher's own mount
// namespace, and shared by all its sandboxes; a replaced image is mounted anew, while sessions of
// the old one keep it. Only what root alone may write is used: the kernel reads the file's
// structures. Owns its mounts. One thread.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_IMAGE_STORE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_IMAGE_STORE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"
#include "sandbox/launcher/image.h"

namespace cellblock::launcher {

class ImageStore {
 public:
  // `store` "" = there is none. `mounts`: an empty folder of the workshop.
  ImageStore(std::string store, std::string mounts)
      : store_(std::move(store)), mounts_(std::move(mounts)) {}

  // Whether an image of a store could be called so; never "host" or "dir:...".
  static bool IsName(const std::string& name);
  // A refusal says what is wrong with the image and how to get a sound one.
  absl::StatusOr<Image> Open(const std::string& name);

 private:
  struct Mounted {
    std::string identity;  // of the file: device, inode, size and times
    std::string path;
  };
  absl::StatusOr<std::string> MountOf(const std::string& name, const std::string& type, int file);

  const std::string store_, mounts_;
  std::map<std::string, Mounted> mounted_;  // by name
  int next_ = 0;
};

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_IMAGE_STORE_H_
