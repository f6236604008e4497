#include "tools/cli/rootfs/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kWhiteout[] = ".wh.";
constexpr char kOpaque[] = ".wh..wh..opq";
constexpr size_t kReadBlock = 1 << 16;

struct Place {
  UniqueFd parent;  // a real folder below the root
  std::string name;
};

// Links are followed as if `root` were /: a layer may write through the lib -> usr/lib of a lower
// one.
UniqueFd OpenBelow(int root, const std::string& path) {
  open_how how = {};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return UniqueFd(static_cast<int>(
      syscall(SYS_openat2, root, path.empty() ? "." : path.c_str(), &how, sizeof how)));
}

absl::StatusOr<std::vector<std::string>> Parts(absl::string_view path) {
  std::vector<std::string> parts;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part == "..") {
      return absl::DataLossError(absl::StrCat("entry ", path, ": names a place outside the image"));
    }
    parts.emplace_back(part);
  }
  return parts;
}

// The folder that is to hold the entry, made if no layer has it.
absl::Status FindPlace(int root, absl::string_view path, Place* found) {
  CELLBLOCK_ASSIGN_OR_RETURN(std::vector<std::string> parts, Parts(path));
  if (parts.empty()) return absl::OkStatus();  // the root itself has no place
  Place& place = *found;
  place.name = std::move(parts.back());
  parts.pop_back();
  std::string folder;
  place.parent = OpenBelow(root, "");
  for (const std::string& part : parts) {
    absl::StrAppend(&folder, folder.empty() ? "" : "/", part);
    UniqueFd next = OpenBelow(root, folder);
    if (!next.valid() && errno == ENOENT) {
      if (mkdirat(place.parent.get(), part.c_str(), 0755) == 0) next = OpenBelow(root, folder);
    }
    if (!next.valid()) return ErrnoStatus("open folder of the image", folder, errno);
    place.parent = std::move(next);
  }
  return absl::OkStatus();
}

absl::Status RemoveAt(int parent, const std::string& name) {
  std::error_code error;
  fs::remove_all(absl::StrCat("/proc/self/fd/", parent, "/", name), error);
  return error ? ErrnoStatus("remove", name, error.value()) : absl::OkStatus();
}

absl::Status ClearFolder(int folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(absl::StrCat("/proc/self/fd/", folder), error)) {
    CELLBLOCK_RETURN_IF_ERROR(RemoveAt(folder, entry.path().filename()));
  }
  return absl::OkStatus();
}

class Layer {
 public:
  Layer(archive* reader, int root, UnpackCaps* caps) : reader_(reader), root_(root), caps_(caps) {}

  absl::Status Apply(archive_entry* entry) {
    const char* path = archive_entry_pathname(entry);
    if (path == nullptr) return absl::DataLossError("an entry without a usable name");
    if (--caps_->entries < 0) return absl::ResourceExhaustedError("the image has too many entries");
    Place place;
    CELLBLOCK_RETURN_IF_ERROR(FindPlace(root_, path, &place));
    if (!place.parent.valid()) return absl::OkStatus();  // the root itself
    absl::string_view hidden = place.name;
    if (hidden == kOpaque) return ClearFolder(place.parent.get());
    if (absl::ConsumePrefix(&hidden, kWhiteout)) {
      if (hidden.empty() || hidden == "." || hidden == "..") {
        return absl::DataLossError(absl::StrCat("entry ", path, ": no sound whiteout"));
      }
      return RemoveAt(place.parent.get(), std::string(hidden));
    }
    return Make(entry, place, path);
  }

 private:
  absl::Status Make(archive_entry* entry, const Place& place, const char* path) {
    const int parent = place.parent.get();
    const char* name = place.name.c_str();
    const char* hard_link = archive_entry_hardlink(entry);
    const mode_t type = archive_entry_filetype(entry);
    struct stat old;
    const bool exists = fstatat(parent, name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (type == AE_IFDIR && hard_link == nullptr && exists && S_ISDIR(old.st_mode)) {
      return absl::OkStatus();
    }
    // A folder that comes where a lower layer has a link to one: files go through the link.
    if (type == AE_IFDIR && exists && S_ISLNK(old.st_mode) && OpenBelow(root_, path).valid()) {
      return absl::OkStatus();
    }
    if (hard_link == nullptr && type != AE_IFDIR && type != AE_IFREG && type != AE_IFLNK) {
      return absl::OkStatus();
    }
    if (exists) CELLBLOCK_RETURN_IF_ERROR(RemoveAt(parent, place.name));
    int made = 0;
    if (hard_link != nullptr) {
      Place target;
      CELLBLOCK_RETURN_IF_ERROR(FindPlace(root_, hard_link, &target));
      made = target.parent.valid()
                 ? linkat(target.parent.get(), target.name.c_str(), parent, name, 0)
                 : (errno = EINVAL, -1);
    } else if (type == AE_IFDIR) {
      made = mkdirat(parent, name, 0755);
    } else if (type == AE_IFLNK) {
      const char* target = archive_entry_symlink(entry);
      made = symlinkat(target == nullptr ? "" : target, parent, name);
    } else {
      return MakeFile(parent, name, archive_entry_perm(entry), path);
    }
    return made == 0 ? absl::OkStatus() : ErrnoStatus("unpack", path, errno);
  }

  absl::Status MakeFile(int parent, const char* name, mode_t mode, const char* path) {
    const UniqueFd file(openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               (mode & 0111) != 0 ? 0755 : 0644));
    if (!file.valid()) return ErrnoStatus("unpack", path, errno);
    const void* data = nullptr;
    size_t size = 0;
    la_int64_t offset = 0, end = 0;
    while (true) {
      const int result = archive_read_data_block(reader_, &data, &size, &offset);
      if (result == ARCHIVE_EOF) return absl::OkStatus();
      if (result < ARCHIVE_WARN) return Unsound();
      // Holes count too: they have to be read when the image is packed.
      caps_->bytes -= offset + static_cast<la_int64_t>(size) - end;
      if (caps_->bytes < 0) return absl::ResourceExhaustedError("the image's files are too large");
      if (lseek(file.get(), offset, SEEK_SET) < 0) return ErrnoStatus("unpack", path, errno);
      CELLBLOCK_RETURN_IF_ERROR(
          WriteAll(file.get(), absl::string_view(static_cast<const char*>(data), size)));
      end = offset + static_cast<la_int64_t>(size);
    }
  }

 public:
  absl::Status Unsound() const {
    const char* why = archive_error_string(reader_);
    return absl::DataLossError(absl::StrCat("a layer is no sound archive: ", why ? why : ""));
  }

 private:
  archive* const reader_;
  const int root_;
  UnpackCaps* const caps_;
};

}  // namespace

absl::Status UnpackLayer(const std::string& layer, const std::string& root, UnpackCaps* caps) {
  const UniqueFd folder(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return ErrnoStatus("open", root, errno);
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), archive_read_free);
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_tar(reader.get());
  Layer target(reader.get(), folder.get(), caps);
  if (archive_read_open_filename(reader.get(), layer.c_str(), kReadBlock) != ARCHIVE_OK) {
    return target.Unsound();
  }
  archive_entry* entry = nullptr;
  while (true) {
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return absl::OkStatus();
    if (result < ARCHIVE_WARN) return target.Unsound();
    CELLBLOCK_RETURN_IF_ERROR(target.Apply(entry));
  }
}

}  // namespace cellblock::cli
