#include "tools/cli/connection.h"

#include <cstdio>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sandbox/base/status.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/describe.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/rootfs/store.h"
#include "tools/client/server_error.h"

namespace cellblock::cli {
namespace {

void PrintError(const absl::Status& status) {
  // As with `command | head`: whoever closed the pipe knows.
  if (absl::IsCancelled(status)) return;
  fprintf(stderr, "cellblock: %s\n", DescribeError(status).c_str());
}

}  // namespace

absl::StatusOr<Connection> OpenConnection(const std::string& server, const std::string& image) {
  Connection connection;
  std::string address = server;
  if (server.empty()) {
    EmbeddedOptions options;
    absl::string_view folder = image;
    if (absl::ConsumePrefix(&folder, "dir:")) options.image_root = std::string(folder);
    options.image_store = DefaultStore();
    CELLBLOCK_ASSIGN_OR_RETURN(connection.embedded, EmbeddedServer::Start(options));
    address = connection.embedded->address();
  }
  connection.remote = !absl::StartsWith(address, "unix:") && !absl::StartsWith(address, "/");
  absl::StatusOr<std::unique_ptr<SandboxClient>> client =
      SandboxClient::Connect(address, ClientOptions());
  if (!client.ok()) {
    if (connection.embedded == nullptr) return client.status();
    return absl::UnavailableError(
        absl::StrCat("the embedded daemon does not answer:\n", connection.embedded->LogTail()));
  }
  connection.client = *std::move(client);
  return connection;
}

void SayIfEnded(const Connection& connection) {
  if (connection.embedded == nullptr || connection.embedded->running()) return;
  fprintf(stderr, "cellblock: the embedded daemon ended; it wrote:\n%s\n",
          PlainText(connection.embedded->LogTail()).c_str());
}

int Fail(const absl::Status& status) {
  PrintError(status);
  const ServerError error = ServerErrorOf(status);
  const bool asked_for_it = absl::IsNotFound(status) || absl::IsPermissionDenied(status) ||
                            (absl::IsFailedPrecondition(status) && !error.retryable);
  const bool wrong_request = absl::IsInvalidArgument(status) || (asked_for_it && error.from_server);
  return wrong_request ? kExitUsage : kExitMachinery;
}

int FailUsage(const absl::Status& status) {
  PrintError(status);
  return kExitUsage;
}

}  // namespace cellblock::cli
