// Which regular files of the work folder are new, changed or gone since a snapshot. Names and
// figures come from init and are believed for listing only.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_ARTIFACTS_H_
#define CELLBLOCK_SANDBOX_RUNTIME_ARTIFACTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/init_client.h"

namespace cellblock {

struct FolderSnapshot {
  // inode, size, change times: what differs when a file was written.
  using Identity = std::tuple<uint64_t, int64_t, int64_t, int64_t>;
  std::map<std::string, Identity> files;
  bool truncated = false;
};

absl::StatusOr<FolderSnapshot> TakeSnapshot(InitClient& files);

// Fills in artifacts (with digests within the caps), removed files and truncation of `result`.
void CompareSnapshots(const FolderSnapshot& before, const FolderSnapshot& after, InitClient& files,
                      CellResult* result);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_ARTIFACTS_H_
