#include "sandbox/launcher/uid_slots.h"

#include <fcntl.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {
namespace {

// An open-file-description lock: owned by this launcher's open file, not by its pid.
bool Lock(int fd, uint32_t slot, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = slot;
  range.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

}  // namespace

absl::StatusOr<UidSlots> UidSlots::Open(const std::string& lock_path, uint32_t base,
                                        uint32_t count) {
  UniqueFd lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.valid()) return StepFailed("open uid lock", lock_path, errno);
  return UidSlots(std::move(lock), base, count / 2);
}

absl::StatusOr<UidPair> UidSlots::Take() {
  for (uint32_t tried = 1; tried < slots_; ++tried) {
    const uint32_t slot = next_;
    next_ = next_ + 1 == slots_ ? 1 : next_ + 1;
    if (held_.count(slot) != 0 || !Lock(lock_.get(), slot, F_WRLCK)) continue;
    held_.insert(slot);
    return UidPair{slot, base_ + 2 * slot, base_ + 2 * slot + 1};
  }
  return Exhausted(
      "uid range",
      absl::StrCat("all ", slots_ - 1, " slots are in use; raise uid_count or delete sessions"));
}

void UidSlots::Release(const UidPair& pair) {
  if (held_.erase(pair.slot) != 0) Lock(lock_.get(), pair.slot, F_UNLCK);
}

}  // namespace cellblock::launcher
