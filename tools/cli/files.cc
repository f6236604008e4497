// cellblock files: files of a session's work folder.
#include <google/protobuf/timestamp.pb.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cellblock/v1/runtime.pb.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/files/name_pair.h"
#include "tools/cli/output/event_printer.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/output/screen.h"

namespace cellblock::cli {
namespace {

struct FileFlags {
  std::string session, path;
  std::vector<std::string> names;
  bool recursive = false, json = false;
};

int WithDaemon(const std::string& server, const std::function<int(SandboxClient*)>& act) {
  if (server.empty()) {
    return FailUsage(absl::InvalidArgumentError(
        "sessions belong to a daemon: name it with --server or CELLBLOCK_SERVER"));
  }
  absl::StatusOr<Connection> connection = OpenConnection(server, "");
  if (!connection.ok()) return Fail(connection.status());
  return act(connection->client.get());
}

using Transfer = absl::Status (*)(SandboxClient*, const std::string&, const NamePair&);

int MoveFiles(const FileFlags& flags, const std::string& server, Transfer transfer) {
  std::vector<NamePair> pairs;
  for (const std::string& name : flags.names) {
    absl::StatusOr<NamePair> pair = ParseNamePair(name);
    if (!pair.ok()) return FailUsage(pair.status());
    pairs.push_back(*std::move(pair));
  }
  return WithDaemon(server, [&](SandboxClient* client) {
    for (const NamePair& pair : pairs) {
      const absl::Status status = transfer(client, flags.session, pair);
      if (!status.ok()) return Fail(status);
      if (!flags.json) continue;
      const std::string line =
          absl::StrCat("{\"from\":", JsonString(pair.from), ",\"to\":", JsonString(pair.to), "}\n");
      Screen(DetectScreen()).Print(line);
    }
    return static_cast<int>(kExitOk);
  });
}

const char* TypeMark(v1::FileType type) {
  switch (type) {
    case v1::DIRECTORY:
      return "d";
    case v1::SYMLINK:
      return "l";
    case v1::REGULAR:
      return "-";
    default:
      return "?";
  }
}

std::string FileRow(const v1::FileInfo& file) {
  const absl::Time modified = absl::FromUnixSeconds(file.modified_at().seconds());
  return absl::StrFormat(
      "%s%03o %12d  %s  %s\n", TypeMark(file.type()), file.mode() & 0777, file.size(),
      absl::FormatTime("%Y-%m-%d %H:%M:%S", modified, absl::LocalTimeZone()), OneLine(file.path()));
}

int ListCommand(const FileFlags& flags, const std::string& server) {
  return WithDaemon(server, [&](SandboxClient* client) {
    Screen screen(DetectScreen());
    const absl::Status status = client->ListFiles(
        flags.session, flags.path, flags.recursive,
        [&](const v1::FileInfo& f) { screen.Print(flags.json ? JsonLine(f) : FileRow(f)); });
    if (!status.ok()) return Fail(status);
    return screen.status().ok() ? static_cast<int>(kExitOk) : Fail(screen.status());
  });
}

int RemoveCommand(const FileFlags& flags, const std::string& server) {
  return WithDaemon(server, [&](SandboxClient* client) {
    for (const std::string& name : flags.names) {
      const absl::Status status = client->RemoveFile(flags.session, name, flags.recursive);
      if (!status.ok()) return Fail(status);
      if (flags.json) {
        Screen(DetectScreen()).Print(absl::StrCat("{\"removed\":", JsonString(name), "}\n"));
      }
    }
    return static_cast<int>(kExitOk);
  });
}

struct Verb {
  const char* name;
  const char* help;
  const char* operand;  // of several names; null for ls
  const char* operand_help;
  std::function<int(const FileFlags&, const std::string&)> act;
};

void AddVerb(CLI::App* group, Command* command, const Verb& verb) {
  const auto flags = std::make_shared<FileFlags>();
  CLI::App* app = group->add_subcommand(verb.name, verb.help);
  app->add_option("SESSION", flags->session, "The session's id")->required();
  if (verb.operand != nullptr) {
    app->add_option(verb.operand, flags->names, verb.operand_help)->required();
  } else {
    app->add_option("PATH", flags->path, "A folder below the work folder; none: all of it");
  }
  if (verb.operand == nullptr || std::string(verb.operand) == "NAME") {
    app->add_flag("-r,--recursive", flags->recursive, "Folders with all that is in them");
  }
  AddServerFlag(app, command);
  app->add_flag("--json", flags->json, "One file a line in JSON");
  const auto act = verb.act;
  app->callback([flags, command, act] {
    command->action = [flags, command, act] { return act(*flags, command->server); };
  });
}

}  // namespace

void AddFiles(CLI::App* app, Command* command) {
  CLI::App* group = app->add_subcommand("files", "Move files in and out of a daemon's session");
  group->require_subcommand(1);
  AddVerb(group, command,
          {"put", "Copy files into the work folder", "PATH[:NAME]",
           "A file of this machine (/dev/stdin:NAME for standard input) and its name inside",
           [](const FileFlags& flags, const std::string& server) {
             return MoveFiles(flags, server, UploadPair);
           }});
  AddVerb(group, command,
          {"get", "Copy files out of the work folder", "NAME[:PATH]",
           "A file of the work folder and where to put it (- is standard output)",
           [](const FileFlags& flags, const std::string& server) {
             return MoveFiles(flags, server, DownloadPair);
           }});
  AddVerb(group, command, {"ls", "List the work folder", nullptr, nullptr, ListCommand});
  AddVerb(group, command,
          {"rm", "Remove from the work folder", "NAME", "What to remove", RemoveCommand});
}

}  // namespace cellblock::cli
