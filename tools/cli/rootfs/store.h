// The folder of images. STORE/NAME holds manifest.json, seal.textproto and the image itself. An
// image in the making lies in STORE/.building-NAME and is renamed when it is whole; whatever an
// interrupted command left there goes with the next one that changes the store.
#ifndef CELLBLOCK_TOOLS_CLI_ROOTFS_STORE_H_
#define CELLBLOCK_TOOLS_CLI_ROOTFS_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::internal {
class Manifest;
}

namespace cellblock::cli {

// CELLBLOCK_IMAGES, else for root /var/lib/cellblock/images, for others cellblock/images in the XDG
// data folder.
std::string DefaultStore();

// Small letters, digits, '.', '_' and '-', at most 64, not "host", beginning with a letter or
// digit.
absl::Status CheckImageName(const std::string& name);

// The right to change the store, and a private mount namespace for it (as root), so that what tools
// mount below it goes with this process. Makes the store if need be and removes what is half-made.
// FAILED_PRECONDITION: another command has it.
class StoreLock {
 public:
  static absl::StatusOr<StoreLock> Take(const std::string& store);

  const std::string& store() const { return store_; }
  // A fresh folder for the image that is to be called `name`.
  absl::StatusOr<std::string> BeginImage(const std::string& name) const;
  // Puts the finished folder in the place of what has that name.
  absl::Status Publish(const std::string& building, const std::string& name) const;
  absl::Status Remove(const std::string& name) const;

 private:
  StoreLock(std::string store, UniqueFd lock) : store_(std::move(store)), lock_(std::move(lock)) {}
  std::string store_;
  UniqueFd lock_;
};

// In the order of names; those without a readable manifest too.
absl::StatusOr<std::vector<std::string>> ImageNames(const std::string& store);

// NOT_FOUND: no such image; DATA_LOSS: it is half-built or its manifest cannot be read.
absl::StatusOr<std::unique_ptr<internal::Manifest>> ReadManifest(const std::string& store,
                                                                 const std::string& name);
// manifest.json and seal.textproto, flushed to disk.
absl::Status WriteManifest(const std::string& folder, const internal::Manifest& manifest);

// Reads every byte of the image. DATA_LOSS says what is not as the manifest says.
absl::Status VerifyImage(const std::string& store, const std::string& name);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_ROOTFS_STORE_H_
