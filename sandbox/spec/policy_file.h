// Policy files on disk.
#ifndef CELLBLOCK_SANDBOX_SPEC_POLICY_FILE_H_
#define CELLBLOCK_SANDBOX_SPEC_POLICY_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/spec/policy_layers.h"

namespace cellblock {

// A regular file of at most kMaxPolicyBytes, never through a symbolic link: what is reviewed is
// what is read. NOT_FOUND if there is none, INVALID_ARGUMENT if it is something else.
absl::StatusOr<PolicySource> ReadPolicyFile(const std::string& path);

// "." for a plain name.
std::string FolderOf(const std::string& path);

// NAME.textproto or NAME.json in the first of the folders that has one. INVALID_ARGUMENT if a
// folder has both, or for a name that no policy can have; NOT_FOUND names the folders.
absl::StatusOr<PolicySource> FindPolicyFile(const std::string& name,
                                            const std::vector<std::string>& folders);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_POLICY_FILE_H_
