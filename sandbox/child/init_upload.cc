#include "sandbox/child/init_upload.h"

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

// Of one slot at one go, so that signals and other requests are served in between.
constexpr int kBuffersAtOnce = 16;
char buffer[65536];

}  // namespace

int BeginUpload(int root, const Request& request, int pipe, UploadSlot* slot) {
  const char* name;
  const int folder = OpenParent(root, request.path, true, &name);
  if (folder < 0 || strlen(name) >= sizeof slot->name) {
    const int error = folder < 0 ? errno : ENAMETOOLONG;
    if (folder >= 0) close(folder);
    close(pipe);
    return error;
  }
  *slot = UploadSlot{};
  slot->tag = request.tag;
  slot->pipe = pipe;
  slot->folder = folder;
  slot->mode = request.mode;
  memcpy(slot->name, name, strlen(name) + 1);
  snprintf(slot->temporary, sizeof slot->temporary, "%supload-%u", kTemporaryPrefix, request.tag);
  slot->file =
      openat(folder, slot->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (slot->file >= 0) return 0;
  const int error = errno;
  slot->temporary[0] = '\0';
  DropUpload(slot);
  return error;
}

int ContinueUpload(UploadSlot* slot) {
  for (int i = 0; i < kBuffersAtOnce; ++i) {
    const ssize_t count = read(slot->pipe, buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (count < 0) return errno;
    if (count == 0) {
      close(slot->pipe);
      slot->pipe = -1;
      return 0;
    }
    for (ssize_t at = 0; at < count;) {
      const ssize_t written = write(slot->file, buffer + at, static_cast<size_t>(count - at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      at += written;
    }
    slot->written += count;
  }
  return 0;
}

int FinishUpload(UploadSlot* slot) {
  if (slot->promised >= 0 && slot->written != slot->promised) return EPROTO;
  if (fchmod(slot->file, slot->mode) != 0) return errno;
  if (syscall(SYS_renameat2, slot->folder, slot->temporary, slot->folder, slot->name, 0) != 0) {
    return errno;
  }
  slot->temporary[0] = '\0';
  return 0;
}

void DropUpload(UploadSlot* slot) {
  if (slot->pipe >= 0) close(slot->pipe);
  if (slot->file >= 0) close(slot->file);
  if (slot->folder >= 0) {
    if (slot->temporary[0] != '\0') unlinkat(slot->folder, slot->temporary, 0);
    close(slot->folder);
  }
  *slot = UploadSlot{};
}

}  // namespace cellblock::init
