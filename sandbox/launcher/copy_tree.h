// Copies a folder or file with everything below it, links as links.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_COPY_TREE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_COPY_TREE_H_

#include <string>

#include "absl/status/status.h"

namespace cellblock::launcher {

// Parents of `to` are made. The step named in an error is "copy".
absl::Status CopyTree(const std::string& from, const std::string& to);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_COPY_TREE_H_
