#include "tools/client/random_id.h"

#include <sys/random.h>

#include "absl/strings/escaping.h"

namespace cellblock {

std::string MakeClientId() {
  // Up to 256 bytes never come short once the source is ready.
  std::string bytes(16, '\0');
  while (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  return absl::BytesToHexString(bytes);
}

}  // namespace cellblock
