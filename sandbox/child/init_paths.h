// Paths below the work folder, resolved so that nothing that user code makes can lead out of it.
#ifndef CELLBLOCK_SANDBOX_CHILD_INIT_PATHS_H_
#define CELLBLOCK_SANDBOX_CHILD_INIT_PATHS_H_

#include <stdint.h>

namespace cellblock::init {

// Names that uploads use until they are complete; they are never listed.
inline constexpr char kTemporaryPrefix[] = ".cellblock-";

bool IsTemporary(const char* name);

// A descriptor, or -1 with errno. "" and "." are `root` itself.
int OpenBeneath(int root, const char* path, uint64_t flags);

// The last part's folder, opened, and where the last part begins in `path`. With `make_folders`
// missing ones are made. -1 with errno on failure.
int OpenParent(int root, const char* path, bool make_folders, const char** last);

}  // namespace cellblock::init

#endif  // CELLBLOCK_SANDBOX_CHILD_INIT_PATHS_H_
