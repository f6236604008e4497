// Host uids for sandboxes: two a session, from the configured range. A slot is held by a lock on
// one byte of a file that all launchers of the host share, so no two ever use the same uids; the
// kernel lets go of it when the launcher ends, however it ends.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_UID_SLOTS_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_UID_SLOTS_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::launcher {

struct UidPair {
  uint32_t slot = 0;
  uint32_t inner_root = 0;  // host uid and gid that are 0 inside
  uint32_t cell = 0;        // host uid and gid that are 1000 inside
};

class UidSlots {
 public:
  // Slot 0 is the daemon's own uid and never given out.
  static absl::StatusOr<UidSlots> Open(const std::string& lock_path, uint32_t base, uint32_t count);

  absl::StatusOr<UidPair> Take();
  void Release(const UidPair& pair);

 private:
  UidSlots(UniqueFd lock, uint32_t base, uint32_t slots)
      : lock_(std::move(lock)), base_(base), slots_(slots) {}

  UniqueFd lock_;
  uint32_t base_;
  uint32_t slots_;
  uint32_t next_ = 1;
  std::set<uint32_t> held_;
};

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_UID_SLOTS_H_
