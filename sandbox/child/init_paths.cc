#include "sandbox/child/init_paths.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child/init_protocol.h"

namespace cellblock::init {
namespace {

constexpr uint64_t kResolve =
    RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;

int OpenFolder(int parent, const char* name, bool make) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = kResolve;
  int fd = static_cast<int>(syscall(SYS_openat2, parent, name, &how, sizeof how));
  if (fd >= 0 || errno != ENOENT || !make) return fd;
  if (mkdirat(parent, name, 0755) != 0 && errno != EEXIST) return -1;
  return static_cast<int>(syscall(SYS_openat2, parent, name, &how, sizeof how));
}

}  // namespace

bool IsTemporary(const char* name) {
  return strncmp(name, kTemporaryPrefix, sizeof kTemporaryPrefix - 1) == 0;
}

int OpenBeneath(int root, const char* path, uint64_t flags) {
  open_how how{};
  how.flags = flags;
  how.resolve = kResolve;
  return static_cast<int>(
      syscall(SYS_openat2, root, path[0] == '\0' ? "." : path, &how, sizeof how));
}

int OpenParent(int root, const char* path, bool make_folders, const char** last) {
  int folder = OpenBeneath(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const char* part = path;
  for (const char* slash; folder >= 0 && (slash = strchr(part, '/')) != nullptr; part = slash + 1) {
    char name[256];
    const auto length = static_cast<size_t>(slash - part);
    int next = -1;
    if (length == 0 || length >= sizeof name) {
      errno = length == 0 ? EINVAL : ENAMETOOLONG;
    } else {
      memcpy(name, part, length);
      name[length] = '\0';
      next = OpenFolder(folder, name, make_folders);
    }
    const int error = errno;
    close(folder);
    errno = error;
    folder = next;
  }
  if (folder >= 0 && (part[0] == '\0' || strcmp(part, ".") == 0 || strcmp(part, "..") == 0)) {
    close(folder);
    errno = EINVAL;
    return -1;
  }
  *last = part;
  return folder;
}

}  // namespace cellblock::init
