#include "tools/cli/rootfs/debian.h"

#include <sys/utsname.h>

#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/status.h"
#include "tools/cli/rootfs/tool.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

// "numpy-1.24.2.dist-info", "Pillow-9.4.0-py3.11.egg-info" -> name, version.
void AddPythonPackage(absl::string_view entry, std::map<std::string, std::string>* packages) {
  if (!absl::ConsumeSuffix(&entry, ".dist-info") && !absl::ConsumeSuffix(&entry, ".egg-info")) {
    return;
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(entry, '-');
  if (parts.size() >= 2) (*packages)[std::string(parts[0])] = std::string(parts[1]);
}

absl::Status DescribePython(const std::string& root, internal::Manifest* manifest) {
  std::error_code error;
  const std::string link = fs::read_symlink(root + "/usr/bin/python3", error).filename();
  absl::string_view version = link;
  if (error || !absl::ConsumePrefix(&version, "python")) return absl::OkStatus();
  manifest->set_python_version(std::string(version));
  std::map<std::string, std::string> packages;
  for (const auto& entry : fs::directory_iterator(root + "/usr/lib/python3/dist-packages", error)) {
    AddPythonPackage(entry.path().filename().string(), &packages);
  }
  for (const auto& [name, number] : packages) {
    internal::Package* package = manifest->add_python_packages();
    package->set_name(name);
    package->set_version(number);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> PackageSources(const std::string& suite) {
  ToolCall call;
  call.argv = {"apt-get", "indextargets", "--format",
               "$(CREATED_BY) $(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)"};
  call.package = "apt";
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, RunTool(call));
  std::set<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> word = absl::StrSplit(line, ' ');
    if (word.size() != 5 || word[0] != "Packages" || word[1] != "Debian") continue;
    if (word[3] != suite && !absl::StartsWith(word[3], suite + "-")) continue;
    lines.insert(absl::StrCat("deb ", word[2], " ", word[3], " ", word[4]));
  }
  if (!lines.empty()) return std::vector<std::string>(lines.begin(), lines.end());
  return absl::FailedPreconditionError(
      absl::StrCat("apt on this machine knows no packages of Debian ", suite,
                   "; add its source to /etc/apt/sources.list.d and run apt-get update"));
}

absl::Status InstallPackages(const internal::Recipe& recipe,
                             const std::vector<std::string>& sources, const std::string& root,
                             const std::string& log) {
  ToolCall call;
  call.argv = {"mmdebstrap",
               "--variant=essential",
               "--mode=root",
               "--format=directory",
               "--aptopt=APT::Sandbox::User \"root\"",
               "--aptopt=Acquire::Languages \"none\"",
               "--dpkgopt=force-unsafe-io",
               absl::StrCat("--include=", absl::StrJoin(recipe.packages(), ","))};
  for (const std::string& path : recipe.exclude_paths()) {
    call.argv.push_back(absl::StrCat("--dpkgopt=path-exclude=", path));
  }
  for (const std::string& path : recipe.include_paths()) {
    call.argv.push_back(absl::StrCat("--dpkgopt=path-include=", path));
  }
  call.argv.insert(call.argv.end(), {recipe.suite(), root, "-"});
  call.input = absl::StrJoin(sources, "\n") + "\n";
  call.log = log;
  call.package = "mmdebstrap";
  call.environment = {absl::StrCat("SOURCE_DATE_EPOCH=", recipe.source_date_epoch()),
                      "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"};
  return RunTool(call).status();
}

absl::Status DescribeContent(const std::string& root, internal::Manifest* manifest) {
  ToolCall call;
  call.argv = {"dpkg-query", "--admindir", root + "/var/lib/dpkg",
               "-W",         "-f",         "${Package} ${Version} ${Architecture}\\n"};
  call.package = "dpkg";
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, RunTool(call));
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> word = absl::StrSplit(line, ' ');
    if (word.size() != 3) continue;
    internal::Package* package = manifest->add_packages();
    package->set_name(word[0]);
    package->set_version(word[1]);
    if (word[2] != "all") manifest->set_architecture(word[2]);
  }
  return DescribePython(root, manifest);
}

}  // namespace cellblock::cli
