#include "sandbox/launcher/image_store.h"

#include <fcntl.h>
#include <google/protobuf/text_format.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/loop_device.h"
#include "sandbox/launcher/mounts.h"

namespace cellblock::launcher {
namespace {

constexpr size_t kMaxName = 64;
constexpr size_t kMaxSeal = 1 << 16;
constexpr uint64_t kAttributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

absl::Status Damaged(const std::string& name, absl::string_view why) {
  return Refused(absl::StrCat("image ", name), absl::StrCat("is damaged or half-built: ", why,
                                                            "; remove it (cellblock rootfs "
                                                            "remove ",
                                                            name, ") and build it again"));
}

// Root's, and nobody else may write it.
absl::Status CheckTrusted(const std::string& path, int fd, struct stat* status) {
  if (fstat(fd, status) != 0) return StepFailed("stat", path, errno);
  if ((status->st_uid == 0 || status->st_uid == geteuid()) && (status->st_mode & 0022) == 0) {
    return absl::OkStatus();
  }
  return Refused(path,
                 "belongs to another user or others may write it: images must be root's "
                 "(chown -R root, chmod go-w)");
}

absl::StatusOr<UniqueFd> OpenTrusted(int dir, const std::string& name, int flags,
                                     struct stat* status) {
  UniqueFd fd(openat(dir, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags));
  if (!fd.valid()) return StepFailed("open image", name, errno);
  CELLBLOCK_RETURN_IF_ERROR(CheckTrusted(name, fd.get(), status));
  return fd;
}

absl::StatusOr<internal::Seal> ReadSeal(const std::string& name, int folder) {
  const absl::StatusOr<std::string> text = ReadFileAt(folder, "seal.textproto", kMaxSeal);
  if (!text.ok()) return Damaged(name, text.status().message());
  internal::Seal seal;
  google::protobuf::TextFormat::Parser parser;
  const bool parsed = parser.ParseFromString(*text, &seal);
  const std::string& digest = seal.digest();
  const bool hex = digest.size() == 64 && std::all_of(digest.begin(), digest.end(), [](char c) {
                     return absl::ascii_isxdigit(static_cast<unsigned char>(c));
                   });
  if (!parsed || !hex) return Damaged(name, "seal.textproto cannot be read");
  return seal;
}

// From the file itself where the kernel can (erofs since Linux 6.12), else from a loop device.
absl::StatusOr<UniqueFd> MountFile(const std::string& type, int file) {
  if (type == "erofs") {
    absl::StatusOr<UniqueFd> direct =
        NewMount(type, {{"source", absl::StrCat("/proc/self/fd/", file)}, {"ro", ""}}, kAttributes);
    if (direct.ok()) return direct;
  }
  CELLBLOCK_ASSIGN_OR_RETURN(const LoopDevice loop, MakeLoopDevice(file));
  return NewMount(type, {{"source", loop.path}, {"ro", ""}}, kAttributes);
}

std::string IdentityOf(const struct stat& status) {
  return absl::StrCat(status.st_dev, ":", status.st_ino, ":", status.st_size, ":",
                      status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec, ":",
                      status.st_ctim.tv_sec, ".", status.st_ctim.tv_nsec);
}

}  // namespace

bool ImageStore::IsName(const std::string& name) {
  return !name.empty() && name.size() <= kMaxName && name != "host" && name[0] != '.' &&
         name[0] != '-' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '.' || c == '_' ||
                  c == '-';
         });
}

absl::StatusOr<std::string> ImageStore::MountOf(const std::string& name, const std::string& type,
                                                int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return StepFailed("stat", name, errno);
  const std::string identity = IdentityOf(status);
  const auto known = mounted_.find(name);
  if (known != mounted_.end() && known->second.identity == identity) return known->second.path;
  const absl::StatusOr<UniqueFd> mount = MountFile(type, file);
  if (!mount.ok()) return Damaged(name, mount.status().message());
  const std::string path = absl::StrCat(mounts_, "/", next_++);
  if (mkdir(path.c_str(), 0755) != 0) return StepFailed("make folder", path, errno);
  CELLBLOCK_RETURN_IF_ERROR(Attach(mount->get(), path));
  if (known != mounted_.end()) Detach(known->second.path).IgnoreError();
  mounted_[name] = {identity, path};
  return path;
}

absl::StatusOr<Image> ImageStore::Open(const std::string& name) {
  const UniqueFd store(
      store_.empty() ? -1 : open(store_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!store.valid() || fstatat(store.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return Refused(absl::StrCat("image ", name), absl::StrCat("is not in the store ", store_,
                                                              "; build it (cellblock rootfs build ",
                                                              name, "), or use host or dir:/PATH"));
  }
  CELLBLOCK_RETURN_IF_ERROR(CheckTrusted(store_, store.get(), &status));
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd folder,
                             OpenTrusted(store.get(), name, O_DIRECTORY, &status));
  CELLBLOCK_ASSIGN_OR_RETURN(const internal::Seal seal, ReadSeal(name, folder.get()));
  const bool is_folder = seal.file() == "root";
  if (!is_folder && seal.file() != "root.erofs" && seal.file() != "root.squashfs") {
    return Damaged(name, "seal.textproto names no known image file");
  }
  if (fstatat(folder.get(), seal.file().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return Damaged(name, seal.file() + " is missing");
  }
  CELLBLOCK_ASSIGN_OR_RETURN(UniqueFd content, OpenTrusted(folder.get(), seal.file(),
                                                           is_folder ? O_DIRECTORY : 0, &status));
  Image image;
  image.name = name;
  image.digest = seal.digest();
  if (is_folder) {
    image.lower = std::move(content);
    return image;
  }
  if (!S_ISREG(status.st_mode) || status.st_size != seal.file_bytes()) {
    return Damaged(name, absl::StrCat(seal.file(), " has ", status.st_size,
                                      " bytes and should have ", seal.file_bytes()));
  }
  CELLBLOCK_ASSIGN_OR_RETURN(
      const std::string path,
      MountOf(name, seal.file() == "root.erofs" ? "erofs" : "squashfs", content.get()));
  image.lower = UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!image.lower.valid()) return StepFailed("open image", name, errno);
  return image;
}

}  // namespace cellblock::launcher
