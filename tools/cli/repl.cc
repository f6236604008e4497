// cellblock repl: cells typed one by one.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/cli/cell_loop.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/files/name_pair.h"
#include "tools/cli/input/completeness.h"
#include "tools/cli/input/line_reader.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/session_flags.h"

namespace cellblock::cli {
namespace {

constexpr absl::Duration kIdleTtl = absl::Hours(12);

struct ReplFlags {
  SessionFlags session;
  std::vector<std::string> uploads;
  CellFlags cell;
};

enum class Typed { kCell, kNothing, kEnd };

// Lines until the cell is whole.
Typed ReadCell(LineReader* reader, Interrupts* interrupts, int64_t number, std::string* code) {
  code->clear();
  const std::string first = absl::StrCat("[", number, "] ");
  const std::string more = std::string(first.size() - 4, ' ') + "... ";
  while (true) {
    std::string line;
    switch (reader->Read(code->empty() ? first : more, &line)) {
      case LineEnd::kInterrupted:
        if (interrupts->terminated()) return Typed::kEnd;
        interrupts->Clear();
        if (reader->interactive()) WriteAll(STDOUT_FILENO, "^C\n").IgnoreError();
        return Typed::kNothing;
      case LineEnd::kEndOfFile:
        if (code->empty()) return Typed::kEnd;
        return Typed::kCell;
      case LineEnd::kLine:
        break;
    }
    absl::StrAppend(code, line);
    if (absl::StripAsciiWhitespace(*code).empty()) return Typed::kNothing;
    if (!NeedsMoreLines(*code)) return Typed::kCell;
  }
}

int Loop(CellLoop* loop, LineReader* reader, Interrupts* interrupts) {
  int exit_status = kExitOk;
  int64_t number = 1;
  while (!interrupts->terminated()) {
    std::string code;
    const Typed typed = ReadCell(reader, interrupts, number, &code);
    if (typed == Typed::kEnd) break;
    if (typed == Typed::kNothing) continue;
    reader->AddHistory(code);
    const std::string word(absl::StripAsciiWhitespace(code));
    if (word == "exit" || word == "quit" || word == "exit()" || word == "quit()") break;
    const absl::StatusOr<CellEnd> end = loop->Run({code, absl::StrCat("cell ", number), true});
    interrupts->Clear();
    if (!end.ok()) return Fail(end.status());
    if (*end == CellEnd::kExited) break;
    exit_status = *end == CellEnd::kOk || reader->interactive() ? kExitOk : kExitUserCode;
    ++number;
  }
  if (reader->interactive()) WriteAll(STDOUT_FILENO, "\n").IgnoreError();
  return exit_status;
}

absl::Status UploadAll(SandboxClient* client, const std::string& id,
                       const std::vector<NamePair>& pairs) {
  for (const NamePair& pair : pairs) CELLBLOCK_RETURN_IF_ERROR(UploadPair(client, id, pair));
  return absl::OkStatus();
}

int Repl(const ReplFlags& flags, const std::string& server) {
  absl::StatusOr<CellOptions> options = ReadCellFlags(flags.cell);
  if (!options.ok()) return FailUsage(options.status());
  v1::CreateSessionRequest request;
  absl::Status status = FillRequest(flags.session, &request);
  if (!status.ok()) return FailUsage(status);
  ToProto(kIdleTtl, request.mutable_idle_ttl());
  std::vector<NamePair> uploads;
  for (const std::string& text : flags.uploads) {
    absl::StatusOr<NamePair> pair = ParseNamePair(text);
    if (!pair.ok()) return FailUsage(pair.status());
    uploads.push_back(*std::move(pair));
  }
  Interrupts interrupts;
  absl::StatusOr<Connection> connection = OpenConnection(server, flags.session.image);
  if (!connection.ok()) return Fail(connection.status());
  options->remote = connection->remote;
  SandboxClient* client = connection->client.get();
  v1::Session session;
  status = client->CreateSession(request, &session);
  if (!status.ok()) return Fail(status);
  status = UploadAll(client, session.id(), uploads);
  if (!status.ok()) return Fail(status);
  Screen screen(DetectScreen());
  LineReader reader(interrupts.wake_fd());
  // Lines that are not typed are cells, not answers.
  if (!reader.interactive()) options->input = Input::kNone;
  if (reader.interactive()) {
    screen.Say(absl::StrCat("Python ", OneLine(session.python_version()), " in a sandbox, policy ",
                            OneLine(session.policy()),
                            ". An empty line ends a block, Ctrl-C interrupts, Ctrl-D ends.\n"));
  }
  CellLoop loop(client, session.id(), *options, &interrupts, &screen);
  const int exit_status = Loop(&loop, &reader, &interrupts);
  if (exit_status == kExitMachinery) SayIfEnded(*connection);
  if (connection->embedded == nullptr) {
    v1::WipeReceipt receipt;
    status = client->DeleteSession(session.id(), &receipt);
    if (!status.ok()) return Fail(status);
  }
  return exit_status;
}

}  // namespace

void AddRepl(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<ReplFlags>();
  CLI::App* repl = app->add_subcommand("repl", "Type Python and see what it does, in a sandbox");
  AddServerFlag(repl, command);
  repl->add_option("--upload", flags->uploads, "Copy a file in first; repeatable")
      ->type_name("PATH[:NAME]")
      ->allow_extra_args(false);
  AddSessionFlags(repl, &flags->session);
  AddCellFlags(repl, &flags->cell);
  repl->footer(
      "\nEach entry is a cell; a block goes on until an empty line. Ctrl-C interrupts a running\n"
      "cell and keeps its variables, a second one kills its interpreter: files are kept. Ctrl-D,\n"
      "exit and quit end the session.");
  repl->callback([flags, command] {
    command->action = [flags, command] { return Repl(*flags, command->server); };
  });
}

}  // namespace cellblock::cli
