#include "sandbox/child/init_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child/init_paths.h"

namespace cellblock::init {
namespace {

// Below this many levels listing stops (cut short) and removal goes on from the top.
constexpr int kMaxDepth = 48;

struct KernelDirent {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[1];
};

bool IsDotOrDotDot(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

// Calls visit(name) for each entry; stops when it returns false. errno on failure.
template <typename Visit>
int ForEachEntry(int folder, Visit visit) {
  alignas(KernelDirent) char buffer[8192];
  for (;;) {
    const long count = syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (count < 0) return errno;
    if (count == 0) return 0;
    for (long at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const KernelDirent*>(buffer + at);
      at += entry->size;
      if (!IsDotOrDotDot(entry->name) && !visit(entry->name)) return 0;
    }
  }
}

EntryType TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return EntryType::kRegular;
  if (S_ISDIR(mode)) return EntryType::kDirectory;
  if (S_ISLNK(mode)) return EntryType::kSymlink;
  return EntryType::kOther;
}

int64_t Nanoseconds(const timespec& time) {
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

struct Listing {
  Message message;  // the entry under construction; path holds the folder's path as a prefix
  int64_t left;
  bool recursive;
  bool cut = false;
  bool left_out = false;
};

void ListInto(Listing& listing, int folder, size_t prefix, int depth);

bool ListEntry(Listing& listing, int folder, size_t prefix, int depth, const char* name) {
  if (depth == 0 && IsTemporary(name)) return true;
  if (listing.left == 0) {
    listing.cut = true;
    return false;
  }
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return true;  // gone meanwhile
  const size_t length = strlen(name);
  if (prefix + length + 1 > kMaxPath) {
    listing.left_out = true;
    return true;
  }
  Message& entry = listing.message;
  memcpy(entry.path + prefix, name, length + 1);
  entry.type = TypeOf(status.st_mode);
  entry.value = status.st_size;
  entry.value2 = Nanoseconds(status.st_mtim);
  entry.value3 = static_cast<int64_t>(status.st_ino);
  entry.mode = status.st_mode & 07777;
  entry.ctime_ns = Nanoseconds(status.st_ctim);
  Send(entry);
  --listing.left;
  if (!listing.recursive || !S_ISDIR(status.st_mode)) return true;
  if (depth + 1 >= kMaxDepth || prefix + length + 2 > kMaxPath) {
    listing.cut = true;
    return true;
  }
  const int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below < 0) return true;  // not readable: it has been listed itself
  entry.path[prefix + length] = '/';
  ListInto(listing, below, prefix + length + 1, depth + 1);
  close(below);
  return !listing.cut;
}

void ListInto(Listing& listing, int folder, size_t prefix, int depth) {
  ForEachEntry(folder,
               [&](const char* name) { return ListEntry(listing, folder, prefix, depth, name); });
}

// Folders too deep to descend into in one go are moved up here under a temporary name.
struct Removal {
  int root;
  unsigned moved = 0;
};

int RemoveAt(Removal& removal, int folder, const char* name, int depth);

int EmptyFolder(Removal& removal, int folder, const char* name, int depth) {
  // The cell may have taken its own rights away; if this fails, so does opening.
  if (fchmodat(folder, name, 0700, 0) != 0) return errno;
  const int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below < 0) return errno;
  int error = 0;
  ForEachEntry(below, [&](const char* entry) {
    error = RemoveAt(removal, below, entry, depth + 1);
    return error == 0;
  });
  close(below);
  return error;
}

int RemoveAt(Removal& removal, int folder, const char* name, int depth) {
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  if (unlinkat(folder, name, AT_REMOVEDIR) == 0) return 0;
  if (errno != ENOTEMPTY && errno != EACCES) return errno;
  if (depth >= kMaxDepth) {
    char parked[64];
    snprintf(parked, sizeof parked, "%sremoved-%u", kTemporaryPrefix, removal.moved++);
    return syscall(SYS_renameat2, folder, name, removal.root, parked, 0) == 0 ? 0 : errno;
  }
  const int error = EmptyFolder(removal, folder, name, depth);
  if (error != 0) return error;
  return unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

void ListFolder(int root, const Request& request, Message* reply) {
  const int folder =
      OpenBeneath(root, request.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    reply->error = errno;
    return;
  }
  Listing listing{};
  listing.message.kind = Kind::kEntry;
  listing.message.tag = request.tag;
  listing.left = request.number;
  listing.recursive = (request.flags & kRecursive) != 0;
  size_t prefix = strcmp(request.path, ".") == 0 ? 0 : strlen(request.path);
  memcpy(listing.message.path, request.path, prefix);
  if (prefix > 0 && prefix + 1 < kMaxPath) listing.message.path[prefix++] = '/';
  ListInto(listing, folder, prefix, 0);
  close(folder);
  reply->value = listing.cut ? 1 : 0;
  reply->error = listing.left_out ? ENAMETOOLONG : 0;
}

int RemovePath(int root, const char* path, bool recursive) {
  const char* name;
  const int folder = OpenParent(root, path, false, &name);
  if (folder < 0) return errno;
  // Existence is an error here, unlike in a folder that is being emptied.
  struct stat status;
  int error = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
  if (error == 0 && !recursive) {
    error = unlinkat(folder, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
  } else if (error == 0) {
    Removal removal{root};
    error = RemoveAt(removal, folder, name, 0);
    for (unsigned i = 0; error == 0 && i < removal.moved; ++i) {
      char parked[64];
      snprintf(parked, sizeof parked, "%sremoved-%u", kTemporaryPrefix, i);
      error = RemoveAt(removal, root, parked, 0);
    }
  }
  close(folder);
  return error;
}

}  // namespace cellblock::init
