// What is prepared once per image, by code that runs in a session of its own and never a user's:
// matplotlib's font list, as STATE/cache/DIGEST/matplotlib/fontlist-*.json. The launcher shows
// STATE/cache/DIGEST read-only in every sandbox of that image.
#ifndef CELLBLOCK_DAEMON_STARTUP_IMAGE_CACHE_H_
#define CELLBLOCK_DAEMON_STARTUP_IMAGE_CACHE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "daemon/session/cell_runner.h"

namespace cellblock {

bool HasImageCache(const std::string& state_dir, const std::string& digest);

// Runs the given code in a session; the result's outcome is checked by the caller of it.
using RunCode = absl::FunctionRef<absl::Status(absl::string_view code)>;

// Makes the cache, all or nothing; an image without matplotlib gets an empty one.
absl::Status PrepareImageCache(const std::string& state_dir, CellRunner* runner, RunCode run);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_STARTUP_IMAGE_CACHE_H_
