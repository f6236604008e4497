#include "sandbox/launcher/loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {
namespace {

constexpr char kControl[] = "/dev/loop-control";
constexpr int kAttempts = 16;  // others take devices too

}  // namespace

absl::StatusOr<LoopDevice> MakeLoopDevice(int file) {
  const UniqueFd control(open(kControl, O_RDWR | O_CLOEXEC));
  if (!control.valid()) {
    return StepFailed("open", kControl, errno,
                      "load the loop module (modprobe loop), or build the image with --format dir");
  }
  loop_config config{};
  config.fd = static_cast<__u32>(file);
  config.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return StepFailed("find a free loop device", kControl, errno);
    LoopDevice loop{absl::StrCat("/dev/loop", number), UniqueFd()};
    loop.device = UniqueFd(open(loop.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!loop.device.valid()) return StepFailed("open", loop.path, errno);
    if (ioctl(loop.device.get(), LOOP_CONFIGURE, &config) == 0) return loop;
    if (errno != EBUSY) return StepFailed("configure loop device", loop.path, errno);
  }
  return StepFailed("find a free loop device", kControl, EBUSY);
}

}  // namespace cellblock::launcher
