#include "tools/cli/rootfs/pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"
#include "tools/cli/rootfs/digest.h"
#include "tools/cli/rootfs/tool.h"

namespace cellblock::cli {
namespace {

// The file system's own id follows from the content.
std::string UuidOf(const std::string& digest) {
  return absl::StrCat(digest.substr(0, 8), "-", digest.substr(8, 4), "-", digest.substr(12, 4), "-",
                      digest.substr(16, 4), "-", digest.substr(20, 12));
}

ToolCall Packer(ImageFormat format, const std::string& root, const std::string& file,
                const internal::Manifest& manifest) {
  const std::string epoch = absl::StrCat(manifest.inputs().source_date_epoch());
  ToolCall call;
  if (format == ImageFormat::kErofs) {
    call.argv = {"mkfs.erofs", "--quiet", "--all-root", "-x-1",
                 "-T",         epoch,     "-U",         UuidOf(manifest.digest()),
                 file,         root};
    call.package = "erofs-utils";
  } else {
    call.argv = {"mksquashfs",          root,         file,     "-noappend",
                 "-all-root",           "-no-xattrs", "-comp",  "zstd",
                 "-Xcompression-level", "6",          "-quiet", "-no-progress"};
    call.package = "squashfs-tools";
    call.environment = {absl::StrCat("SOURCE_DATE_EPOCH=", epoch)};
  }
  return call;
}

absl::Status Flush(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() || fsync(file.get()) != 0) return ErrnoStatus("write", path, errno);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ImageFormat> ParseFormat(const std::string& word) {
  if (word == "dir") return ImageFormat::kDir;
  if (word == "erofs") return ImageFormat::kErofs;
  if (word == "squashfs") return ImageFormat::kSquashfs;
  return absl::InvalidArgumentError(
      absl::StrCat("no image format \"", word, "\"; there are: dir, erofs, squashfs"));
}

absl::Status PackImage(const std::string& root, const std::string& folder, ImageFormat format,
                       internal::Manifest* manifest) {
  if (format == ImageFormat::kDir) {
    manifest->set_file("root");
    ToolCall copy;
    copy.argv = {"cp", "-a", "--", root, folder + "/root"};
    copy.package = "coreutils";
    return RunTool(copy).status();
  }
  manifest->set_file(format == ImageFormat::kErofs ? "root.erofs" : "root.squashfs");
  const std::string file = absl::StrCat(folder, "/", manifest->file());
  ToolCall call = Packer(format, root, file, *manifest);
  call.log = folder + "/log";
  CELLBLOCK_RETURN_IF_ERROR(RunTool(call).status());
  CELLBLOCK_RETURN_IF_ERROR(Flush(file));
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return ErrnoStatus("stat", file, errno);
  chmod(file.c_str(), 0644);
  manifest->set_file_bytes(status.st_size);
  CELLBLOCK_ASSIGN_OR_RETURN(*manifest->mutable_file_sha256(), FileSha256(file));
  return absl::OkStatus();
}

}  // namespace cellblock::cli
