// cellblock run: files as the cells of one new session.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/status.h"
#include "tools/cli/cell_loop.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/files/name_pair.h"
#include "tools/cli/files/work_dir.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/session_flags.h"

namespace cellblock::cli {
namespace {

// A session whose command was killed outright is gone after this long.
constexpr absl::Duration kIdleTtl = absl::Minutes(10);
constexpr size_t kMaxNames = 10;

struct RunFlags {
  std::vector<std::string> files, uploads, downloads;
  std::string work_dir;
  bool remove_deleted = false;
  SessionFlags session;
  CellFlags cell;
};

// Everything that can be wrong before a sandbox exists.
struct Inputs {
  std::vector<Cell> cells;
  std::vector<NamePair> uploads, downloads;
  std::optional<WorkDir> work_dir;
  CellOptions options;
  v1::CreateSessionRequest session;
};

absl::StatusOr<std::vector<NamePair>> ReadPairs(const std::vector<std::string>& texts) {
  std::vector<NamePair> pairs;
  for (const std::string& text : texts) {
    CELLBLOCK_ASSIGN_OR_RETURN(NamePair pair, ParseNamePair(text));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

absl::Status CheckUploads(const std::vector<NamePair>& uploads) {
  for (const NamePair& pair : uploads) {
    if (access(pair.from.c_str(), R_OK) != 0) {
      return ErrnoStatus("read", OneLine(pair.from), errno);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Inputs> ReadInputs(const RunFlags& flags) {
  Inputs inputs;
  CELLBLOCK_ASSIGN_OR_RETURN(inputs.options, ReadCellFlags(flags.cell));
  CELLBLOCK_ASSIGN_OR_RETURN(inputs.uploads, ReadPairs(flags.uploads));
  CELLBLOCK_ASSIGN_OR_RETURN(inputs.downloads, ReadPairs(flags.downloads));
  CELLBLOCK_RETURN_IF_ERROR(CheckUploads(inputs.uploads));
  CELLBLOCK_RETURN_IF_ERROR(FillRequest(flags.session, &inputs.session));
  ToProto(kIdleTtl, inputs.session.mutable_idle_ttl());
  std::vector<std::string> files = flags.files;
  if (files.empty()) {
    if (isatty(STDIN_FILENO) == 1) {
      return absl::InvalidArgumentError(
          "name a FILE to run, or - for standard input; `cellblock repl` is interactive");
    }
    files.emplace_back("-");
  }
  for (const std::string& file : files) {
    CELLBLOCK_ASSIGN_OR_RETURN(std::vector<Cell> cells, LoadCells(file));
    inputs.cells.insert(inputs.cells.end(), cells.begin(), cells.end());
    if (file == "-") inputs.options.input = Input::kNone;
  }
  if (!flags.work_dir.empty()) {
    CELLBLOCK_ASSIGN_OR_RETURN(inputs.work_dir, WorkDir::Open(flags.work_dir));
  }
  return inputs;
}

std::string NameList(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) shown.push_back(OneLine(names[i]));
  if (names.size() > kMaxNames) {
    shown.push_back(absl::StrCat("and ", names.size() - kMaxNames, " more"));
  }
  return absl::StrJoin(shown, ", ");
}

void SayNames(Screen* screen, absl::string_view what, const std::vector<std::string>& names) {
  if (!names.empty()) screen->Say(absl::StrCat("cellblock: ", what, ": ", NameList(names), "\n"));
}

class Run {
 public:
  Run(Inputs inputs, Connection* connection, Interrupts* interrupts, Deleted deleted)
      : inputs_(std::move(inputs)),
        connection_(connection),
        client_(connection->client.get()),
        interrupts_(interrupts),
        deleted_(deleted),
        screen_(DetectScreen()) {}

  int Do() {
    v1::Session session;
    absl::Status status = client_->CreateSession(inputs_.session, &session);
    if (!status.ok()) return Fail(status);
    id_ = session.id();
    int exit_status = kExitOk;
    status = Stage();
    if (!status.ok()) {
      exit_status = Fail(status);
    } else {
      inputs_.options.remote = connection_->remote;
      CellLoop loop(client_, id_, inputs_.options, interrupts_, &screen_);
      exit_status = loop.RunAll(inputs_.cells);
      if (!interrupts_->terminated()) exit_status = std::max(exit_status, BringBack());
      if (!inputs_.work_dir.has_value()) SayDiscarded(loop.artifacts());
    }
    // An embedded daemon's sessions end with it.
    if (connection_->embedded == nullptr) {
      v1::WipeReceipt receipt;
      status = client_->DeleteSession(id_, &receipt);
      if (!status.ok()) exit_status = std::max(exit_status, Fail(status));
    }
    return exit_status;
  }

 private:
  absl::Status Stage() {
    if (inputs_.work_dir.has_value()) {
      CELLBLOCK_RETURN_IF_ERROR(inputs_.work_dir->Stage(client_, id_));
      SayNames(&screen_, "not staged", inputs_.work_dir->left_out());
    }
    for (const NamePair& pair : inputs_.uploads) {
      CELLBLOCK_RETURN_IF_ERROR(UploadPair(client_, id_, pair));
    }
    return absl::OkStatus();
  }

  int BringBack() {
    int exit_status = kExitOk;
    for (const NamePair& pair : inputs_.downloads) {
      const absl::Status status = DownloadPair(client_, id_, pair);
      if (status.ok()) continue;
      // The cells did not make it: theirs to answer for.
      const int failed = Fail(status);
      exit_status = std::max<int>(exit_status, absl::IsNotFound(status) ? kExitUserCode : failed);
    }
    if (!inputs_.work_dir.has_value()) return exit_status;
    const auto brought = inputs_.work_dir->BringBack(client_, id_, deleted_);
    if (!brought.ok()) return std::max(exit_status, Fail(brought.status()));
    SayNames(&screen_, "written", brought->written);
    SayNames(&screen_,
             deleted_ == Deleted::kRemove ? "deleted"
                                          : "deleted in the sandbox, kept here (see --delete)",
             brought->deleted);
    SayNames(&screen_, "not brought back", brought->left_out);
    return exit_status;
  }

  void SayDiscarded(const std::set<std::string>& artifacts) {
    std::vector<std::string> lost;
    for (const std::string& name : artifacts) {
      const bool kept = std::any_of(inputs_.downloads.begin(), inputs_.downloads.end(),
                                    [&](const NamePair& pair) { return pair.from == name; });
      if (!kept) lost.push_back(name);
    }
    SayNames(&screen_, "files discarded with the sandbox (--download NAME or --workdir keeps them)",
             lost);
  }

  Inputs inputs_;
  Connection* const connection_;
  SandboxClient* const client_;
  Interrupts* const interrupts_;
  const Deleted deleted_;
  Screen screen_;
  std::string id_;
};

int RunCommand(const RunFlags& flags, const std::string& server) {
  absl::StatusOr<Inputs> inputs = ReadInputs(flags);
  if (!inputs.ok()) return FailUsage(inputs.status());
  Interrupts interrupts;
  absl::StatusOr<Connection> connection = OpenConnection(server, flags.session.image);
  if (!connection.ok()) return Fail(connection.status());
  const int exit_status = Run(*std::move(inputs), &*connection, &interrupts,
                              flags.remove_deleted ? Deleted::kRemove : Deleted::kKeep)
                              .Do();
  if (exit_status == kExitMachinery) SayIfEnded(*connection);
  return exit_status;
}

}  // namespace

void AddRun(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<RunFlags>();
  CLI::App* run = app->add_subcommand("run", "Run scripts and notebooks in a sandbox of their own");
  run->add_option("FILE", flags->files,
                  "Each FILE is one cell; a notebook (.ipynb) and a script with '# %%' marks are "
                  "several. - is standard input");
  AddServerFlag(run, command);
  run->add_option("--workdir", flags->work_dir,
                  "Copy this folder in as the cells' current folder, and bring what they make or "
                  "change back")
      ->type_name("DIR");
  run->add_flag("--delete", flags->remove_deleted,
                "With --workdir: also delete here what the cells deleted");
  run->add_option("--upload", flags->uploads, "Copy a file in, under NAME; repeatable")
      ->type_name("PATH[:NAME]")
      ->allow_extra_args(false);
  run->add_option("--download", flags->downloads,
                  "Copy a file out after the last cell, also after a failure; repeatable")
      ->type_name("NAME[:PATH]")
      ->allow_extra_args(false);
  AddSessionFlags(run, &flags->session);
  AddCellFlags(run, &flags->cell);
  run->footer(
      "\nThe cells share variables and files, and the run stops at the first that fails. Their\n"
      "standard output is this command's, byte for byte unless it goes to a terminal, where\n"
      "control characters other than colours are shown instead of obeyed. Values of last\n"
      "expressions are printed for notebooks and on a terminal (--values). Images are saved and\n"
      "named on standard error. --workdir leaves out .git, .hg, .svn, __pycache__, node_modules,\n"
      ".venv and .ipynb_checkpoints.\n"
      "\n"
      "Ctrl-C interrupts the running cell, a second one kills its interpreter.\n"
      "Exit status: 0 all cells ran (or one called sys.exit(0)), 1 a cell failed, 2 wrong usage,\n"
      "3 the machinery failed.");
  run->callback([flags, command] {
    command->action = [flags, command] { return RunCommand(*flags, command->server); };
  });
}

}  // namespace cellblock::cli
