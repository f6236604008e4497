// cellblock session: sessions of a daemon that outlive this command.
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/status.h"
#include "tools/cli/cell_loop.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/describe.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/session_flags.h"

namespace cellblock::cli {
namespace {

struct CreateFlags {
  SessionFlags session;
  std::string idle_ttl, total_ttl;
  bool json = false;
};
struct ExecFlags {
  std::string id;
  std::vector<std::string> files;
  CellFlags cell;
};
struct IdFlags {
  std::vector<std::string> ids;
  bool json = false;
};

absl::StatusOr<Connection> ConnectToDaemon(const std::string& server) {
  if (server.empty()) {
    return absl::InvalidArgumentError(
        "sessions belong to a daemon: name it with --server or CELLBLOCK_SERVER");
  }
  return OpenConnection(server, "");
}

int Create(const CreateFlags& flags, const std::string& server) {
  v1::CreateSessionRequest request;
  absl::Status status = FillRequest(flags.session, &request);
  if (!status.ok()) return FailUsage(status);
  for (const auto& [text, proto] : {std::pair(&flags.idle_ttl, request.mutable_idle_ttl()),
                                    std::pair(&flags.total_ttl, request.mutable_total_ttl())}) {
    if (text->empty()) continue;
    const absl::StatusOr<absl::Duration> time = ParseTime(*text);
    if (!time.ok()) return FailUsage(time.status());
    ToProto(*time, proto);
  }
  if (flags.idle_ttl.empty()) request.clear_idle_ttl();
  if (flags.total_ttl.empty()) request.clear_total_ttl();
  absl::StatusOr<Connection> connection = ConnectToDaemon(server);
  if (!connection.ok()) return Fail(connection.status());
  v1::Session session;
  status = connection->client->CreateSession(request, &session);
  if (!status.ok()) return Fail(status);
  Screen screen(DetectScreen());
  screen.Print(flags.json ? JsonLine(session) : OneLine(session.id()) + "\n");
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

std::string SessionRow(const v1::Session& session) {
  const absl::Time used = absl::FromUnixSeconds(session.last_used_at().seconds());
  return absl::StrFormat("%-34s %-17s %5d %6d  %-10s %-12s %s ago\n", OneLine(session.id()),
                         v1::SessionState_Name(session.state()), session.epoch(),
                         session.cells_run(), OneLine(session.policy()), OneLine(session.image()),
                         Seconds(std::max(absl::Now() - used, absl::ZeroDuration())));
}

int List(const IdFlags& flags, const std::string& server) {
  absl::StatusOr<Connection> connection = ConnectToDaemon(server);
  if (!connection.ok()) return Fail(connection.status());
  v1::ListSessionsResponse response;
  const absl::Status status = connection->client->ListSessions(&response);
  if (!status.ok()) return Fail(status);
  Screen screen(DetectScreen());
  if (!flags.json && response.sessions_size() > 0) {
    screen.Print(absl::StrFormat("%-34s %-17s %5s %6s  %-10s %-12s %s\n", "ID", "STATE", "EPOCH",
                                 "CELLS", "POLICY", "IMAGE", "USED"));
  }
  for (const v1::Session& session : response.sessions()) {
    screen.Print(flags.json ? JsonLine(session) : SessionRow(session));
  }
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

int Exec(const ExecFlags& flags, const std::string& server) {
  absl::StatusOr<CellOptions> options = ReadCellFlags(flags.cell);
  if (!options.ok()) return FailUsage(options.status());
  std::vector<Cell> cells;
  for (const std::string& file :
       flags.files.empty() ? std::vector<std::string>{"-"} : flags.files) {
    absl::StatusOr<std::vector<Cell>> loaded = LoadCells(file);
    if (!loaded.ok()) return FailUsage(loaded.status());
    cells.insert(cells.end(), loaded->begin(), loaded->end());
    if (file == "-") options->input = Input::kNone;
  }
  Interrupts interrupts;
  absl::StatusOr<Connection> connection = ConnectToDaemon(server);
  if (!connection.ok()) return Fail(connection.status());
  options->remote = connection->remote;
  Screen screen(DetectScreen());
  return CellLoop(connection->client.get(), flags.id, *options, &interrupts, &screen).RunAll(cells);
}

int Delete(const IdFlags& flags, const std::string& server) {
  absl::StatusOr<Connection> connection = ConnectToDaemon(server);
  if (!connection.ok()) return Fail(connection.status());
  Screen screen(DetectScreen());
  int exit_status = kExitOk;
  for (const std::string& id : flags.ids) {
    v1::WipeReceipt receipt;
    const absl::Status status = connection->client->DeleteSession(id, &receipt);
    if (!status.ok()) {
      exit_status = std::max(exit_status, Fail(status));
      continue;
    }
    const bool clean = receipt.processes_left() == 0 && receipt.mounts_gone();
    if (!clean) exit_status = std::max<int>(exit_status, kExitMachinery);
    screen.Print(flags.json ? JsonLine(receipt)
                            : absl::StrCat(OneLine(id), clean ? " deleted" : " NOT fully deleted",
                                           ", ", Bytes(receipt.disk_bytes_discarded()),
                                           " of files discarded\n"));
  }
  return screen.status().ok() ? exit_status : Fail(screen.status());
}

void AddCreate(CLI::App* group, Command* command) {
  const auto flags = std::make_shared<CreateFlags>();
  CLI::App* create = group->add_subcommand("create", "Make a session and print its id");
  AddServerFlag(create, command);
  AddSessionFlags(create, &flags->session);
  create->add_option("--idle-ttl", flags->idle_ttl, "End the session this long after its last use")
      ->type_name("TIME");
  create->add_option("--ttl", flags->total_ttl, "End the session this long after its creation")
      ->type_name("TIME");
  create->add_flag("--json", flags->json, "Print the session as one line of JSON");
  create->callback([flags, command] {
    command->action = [flags, command] { return Create(*flags, command->server); };
  });
}

void AddExec(CLI::App* group, Command* command) {
  const auto flags = std::make_shared<ExecFlags>();
  CLI::App* exec = group->add_subcommand("exec", "Run cells in a session");
  exec->add_option("ID", flags->id, "The session")->required();
  exec->add_option("FILE", flags->files, "As with `cellblock run`; none: standard input");
  AddServerFlag(exec, command);
  AddCellFlags(exec, &flags->cell);
  exec->callback([flags, command] {
    command->action = [flags, command] { return Exec(*flags, command->server); };
  });
}

}  // namespace

void AddSession(CLI::App* app, Command* command) {
  CLI::App* group = app->add_subcommand("session", "Make, use and end sessions of a daemon");
  group->require_subcommand(1);
  AddCreate(group, command);
  const auto list_flags = std::make_shared<IdFlags>();
  CLI::App* list = group->add_subcommand("list", "Show the daemon's sessions");
  AddServerFlag(list, command);
  list->add_flag("--json", list_flags->json, "One session a line in JSON");
  list->callback([list_flags, command] {
    command->action = [list_flags, command] { return List(*list_flags, command->server); };
  });
  AddExec(group, command);
  const auto delete_flags = std::make_shared<IdFlags>();
  CLI::App* del = group->add_subcommand("delete", "End sessions and discard their files");
  del->add_option("ID", delete_flags->ids, "The sessions")->required();
  AddServerFlag(del, command);
  del->add_flag("--json", delete_flags->json, "One wipe receipt a line in JSON");
  del->callback([delete_flags, command] {
    command->action = [delete_flags, command] { return Delete(*delete_flags, command->server); };
  });
}

}  // namespace cellblock::cli
