// The interpreter and the libraries of the host image.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/io.h"
#include "tools/cli/doctor/probe.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {
namespace {

constexpr char kPython[] = "/usr/bin/python3";
// One "name version" a line; a library that does not import has no version.
constexpr char kScript[] = R"(
import importlib, sys
print("python", sys.version.split()[0])
for name in sys.argv[1:]:
    try:
        print(name, getattr(importlib.import_module(name), "__version__", "?"))
    except Exception as error:
        print(name, "", type(error).__name__)
)";

struct Library {
  const char* module;
  const char* package;
  Level if_missing;
};
constexpr Library kLibraries[] = {
    {"IPython", "python3-ipython", Level::kMissing},
    {"numpy", "python3-numpy", Level::kWarning},
    {"pandas", "python3-pandas", Level::kWarning},
    {"matplotlib", "python3-matplotlib", Level::kWarning},
    {"scipy", "python3-scipy", Level::kWarning},
    {"sklearn", "python3-sklearn", Level::kWarning},
    {"openpyxl", "python3-openpyxl", Level::kWarning},
    {"PIL", "python3-pil", Level::kWarning},
};

std::string RunPython() {
  auto pipe = Pipe();
  if (!pipe.ok()) return "";
  std::vector<std::string> words = {kPython, "-s", "-B", "-c", kScript};
  for (const Library& library : kLibraries) words.emplace_back(library.module);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe->second.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  // As in a sandbox: nothing of the user's own packages.
  char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/nonexistent";
  char* environment[] = {path, home, nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, kPython, &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  pipe->second.reset();
  if (error != 0) return "";
  const auto text = ReadFile(absl::StrCat("/proc/self/fd/", pipe->first.get()));
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text.ok() ? *text : "";
}

}  // namespace

void ProbePython(Findings* findings) {
  std::map<std::string, std::string> versions;
  for (absl::string_view line : absl::StrSplit(RunPython(), '\n')) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ');
    if (fields.size() >= 2) versions[fields[0]] = OneLine(fields[1]);
  }
  const std::string python = versions["python"];
  findings->push_back({"python3", python.empty() ? Level::kMissing : Level::kOk,
                       python.empty() ? absl::StrCat(kPython, " does not run") : python,
                       python.empty() ? "`apt-get install python3`" : ""});
  for (const Library& library : kLibraries) {
    const std::string version = versions[library.module];
    findings->push_back(
        {library.module, version.empty() ? library.if_missing : Level::kOk,
         version.empty() ? absl::StrCat(kPython, " cannot import it") : version,
         version.empty() ? absl::StrCat("`apt-get install ", library.package, "`") : ""});
  }
}

}  // namespace cellblock::cli
