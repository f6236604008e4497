// A read-only block device over a file, for file systems that the kernel does not mount from files.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_LOOP_DEVICE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_LOOP_DEVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::launcher {

struct LoopDevice {
  std::string path;
  UniqueFd device;  // keep it until the mount is made; afterwards the device goes with the mount
};
absl::StatusOr<LoopDevice> MakeLoopDevice(int file);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_LOOP_DEVICE_H_
