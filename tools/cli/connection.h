// A client and, if no server was named, the embedded daemon that it talks to.
#ifndef CELLBLOCK_TOOLS_CLI_CONNECTION_H_
#define CELLBLOCK_TOOLS_CLI_CONNECTION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/client/embedded_server.h"
#include "tools/client/sandbox_client.h"

namespace cellblock::cli {

struct Connection {
  std::unique_ptr<EmbeddedServer> embedded;  // null with --server; outlives the client
  std::unique_ptr<SandboxClient> client;
  // The connection may be lost while the server lives: cells run on and are joined again.
  bool remote = false;
};

// `image` tells an embedded daemon which folder's "dir:" images it is to allow.
absl::StatusOr<Connection> OpenConnection(const std::string& server, const std::string& image);

// After a failure: tells if the embedded daemon has ended, and what it wrote last.
void SayIfEnded(const Connection& connection);

// Prints the error and gives its exit status: usage for what the server calls wrong or unknown.
int Fail(const absl::Status& status);
int FailUsage(const absl::Status& status);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_CONNECTION_H_
