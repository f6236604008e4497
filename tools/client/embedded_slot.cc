#include "tools/client/embedded_slot.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr int kMaxSlots = 256;

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

absl::Status MakeSocketFolder(const EmbeddedSlot& slot) {
  std::error_code error;
  std::filesystem::remove_all(slot.socket_dir(), error);
  if (error) return ErrnoStatus("remove", slot.socket_dir(), error.value());
  if (mkdir(slot.socket_dir().c_str(), 0700) != 0) {
    return ErrnoStatus("make folder", slot.socket_dir(), errno);
  }
  return absl::OkStatus();
}

}  // namespace

std::string DefaultCacheDir() {
  if (const char* given = Variable("CELLBLOCK_CACHE_DIR")) return given;
  if (geteuid() == 0) return "/var/cache/cellblock";
  if (const char* cache = Variable("XDG_CACHE_HOME")) return absl::StrCat(cache, "/cellblock");
  if (const char* home = Variable("HOME")) return absl::StrCat(home, "/.cache/cellblock");
  return absl::StrCat("/tmp/cellblock-", geteuid());
}

absl::StatusOr<EmbeddedSlot> TakeEmbeddedSlot(const std::string& cache_dir) {
  std::error_code error;
  std::filesystem::create_directories(cache_dir, error);
  if (error) return ErrnoStatus("make folder", cache_dir, error.value());
  struct stat status;
  if (stat(cache_dir.c_str(), &status) != 0) return ErrnoStatus("stat", cache_dir, errno);
  if (status.st_uid != geteuid() || (status.st_mode & 0022) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        cache_dir, " belongs to or can be written by somebody else; set CELLBLOCK_CACHE_DIR"));
  }
  for (int number = 0; number < kMaxSlots; ++number) {
    EmbeddedSlot slot;
    slot.folder = absl::StrCat(cache_dir, "/embedded-", number);
    if (mkdir(slot.folder.c_str(), 0755) != 0 && errno != EEXIST) {
      return ErrnoStatus("make folder", slot.folder, errno);
    }
    const std::string lock = slot.folder + "/lock";
    slot.lock = UniqueFd(open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!slot.lock.valid()) return ErrnoStatus("open", lock, errno);
    if (flock(slot.lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    CELLBLOCK_RETURN_IF_ERROR(MakeSocketFolder(slot));
    return slot;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(kMaxSlots, " embedded daemons are running from ", cache_dir));
}

}  // namespace cellblock
