#include "daemon/session/random_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace cellblock {

std::string RandomId() {
  std::array<char, 16> bits;
  // Requests of up to 256 bytes are never cut short once the kernel's pool is ready.
  while (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
    if (errno != EINTR) abort();
  }
  return absl::BytesToHexString(absl::string_view(bits.data(), bits.size()));
}

}  // namespace cellblock
