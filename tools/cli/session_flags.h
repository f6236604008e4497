// The flags that say what a new session is like; shared by run, repl and session create.
#ifndef CELLBLOCK_TOOLS_CLI_SESSION_FLAGS_H_
#define CELLBLOCK_TOOLS_CLI_SESSION_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace CLI {
class App;
}
namespace google::protobuf {
class Duration;
}
namespace cellblock::v1 {
class CreateSessionRequest;
}

namespace cellblock::cli {

struct SessionFlags {
  std::string image, policy, time_zone;
  std::vector<std::string> environment;  // KEY=VALUE
};

void AddSessionFlags(CLI::App* app, SessionFlags* flags);
absl::Status FillRequest(const SessionFlags& flags, v1::CreateSessionRequest* request);

// "30s", "1h30m", or a bare number of seconds; more than zero.
absl::StatusOr<absl::Duration> ParseTime(absl::string_view text);
void ToProto(absl::Duration time, google::protobuf::Duration* proto);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_SESSION_FLAGS_H_
