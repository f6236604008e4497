// Named groups of system calls, in the manner of systemd's sets: a policy names a group where it
// would list a family of calls that stand or fall together. Sorted data; see the .cc for each
// group's calls.
#ifndef CELLBLOCK_SANDBOX_SPEC_SYSCALL_GROUPS_H_
#define CELLBLOCK_SANDBOX_SPEC_SYSCALL_GROUPS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cellblock {

struct SyscallGroup {
  const char* name;         // "@file-system"
  const char* description;  // one line
  std::vector<const char*> calls;
};

absl::Span<const SyscallGroup> SyscallGroups();
// nullptr if there is none of that name.
const SyscallGroup* FindSyscallGroup(absl::string_view name);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_SYSCALL_GROUPS_H_
