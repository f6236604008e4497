// "PATH:NAME" of --upload and --download: the two places of one file.
#ifndef CELLBLOCK_TOOLS_CLI_FILES_NAME_PAIR_H_
#define CELLBLOCK_TOOLS_CLI_FILES_NAME_PAIR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/client/sandbox_client.h"

namespace cellblock::cli {

struct NamePair {
  std::string from, to;
};

// The last colon separates; without one `to` is the last part of `from`. INVALID_ARGUMENT if a
// side is empty.
absl::StatusOr<NamePair> ParseNamePair(absl::string_view text);

// From this machine into the session's work folder, and back ("-": standard
// output; a folder: a file of that name in it).
absl::Status UploadPair(SandboxClient* client, const std::string& session_id, const NamePair& pair);
absl::Status DownloadPair(SandboxClient* client, const std::string& session_id,
                          const NamePair& pair);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_FILES_NAME_PAIR_H_
