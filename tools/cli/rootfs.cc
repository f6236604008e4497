// cellblock rootfs: makes, shows, checks and removes images, on this machine; no daemon takes part.
#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "internal/rootfs.pb.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/describe.h"
#include "tools/cli/output/event_printer.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/output/screen.h"
#include "tools/cli/rootfs/build.h"
#include "tools/cli/rootfs/import.h"
#include "tools/cli/rootfs/recipe.h"
#include "tools/cli/rootfs/store.h"

namespace cellblock::cli {
namespace {

struct Flags {
  std::string store, source, format = "erofs", image_name;
  std::vector<std::string> names;
  bool json = false;
};

std::string Row(const internal::Manifest& manifest) {
  const bool folder = manifest.file() == "root";
  return absl::StrFormat("%-16s %-12.12s %-8s %-7s %10s %8d  %s\n", OneLine(manifest.name()),
                         OneLine(manifest.digest()), folder ? "dir" : manifest.file().substr(5),
                         OneLine(manifest.python_version()),
                         Bytes(folder ? manifest.content_bytes() : manifest.file_bytes()),
                         manifest.entries(), OneLine(manifest.description()));
}

int Build(const Flags& flags) {
  const absl::StatusOr<ImageFormat> format = ParseFormat(flags.format);
  if (!format.ok()) return FailUsage(format.status());
  const absl::StatusOr<LoadedRecipe> recipe = LoadRecipe(flags.source);
  if (!recipe.ok()) return FailUsage(recipe.status());
  BuildOptions options;
  options.store = flags.store;
  options.name = flags.image_name.empty() ? recipe->name : flags.image_name;
  if (const absl::Status name = CheckImageName(options.name); !name.ok()) return FailUsage(name);
  options.format = *format;
  Screen screen(DetectScreen());
  options.verbose = screen.settings().err_is_terminal;
  const absl::Time began = absl::Now();
  options.progress = [&](const std::string& step) {
    screen.Say(absl::StrFormat("%4d s  %s\n", absl::ToInt64Seconds(absl::Now() - began), step));
  };
  const auto manifest = BuildImage(*recipe, options);
  if (!manifest.ok()) return Fail(manifest.status());
  screen.Print(absl::StrCat((*manifest)->name(), " ", (*manifest)->digest(), "\n"));
  screen.Say(absl::StrFormat("built in %s: cellblock run --image %s FILE\n",
                             Seconds(absl::Now() - began), options.name));
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

int Import(const Flags& flags) {
  const absl::StatusOr<ImageFormat> format = ParseFormat(flags.format);
  if (!format.ok()) return FailUsage(format.status());
  if (const absl::Status name = CheckImageName(flags.image_name); !name.ok())
    return FailUsage(name);
  BuildOptions options;
  options.store = flags.store;
  options.name = flags.image_name;
  options.format = *format;
  Screen screen(DetectScreen());
  options.progress = [&](const std::string& step) { screen.Say(step + "\n"); };
  const auto manifest = ImportImage(flags.source, options);
  if (!manifest.ok()) return Fail(manifest.status());
  screen.Print(absl::StrCat((*manifest)->name(), " ", (*manifest)->digest(), "\n"));
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

int List(const Flags& flags) {
  const absl::StatusOr<std::vector<std::string>> names = ImageNames(flags.store);
  if (!names.ok()) return Fail(names.status());
  Screen screen(DetectScreen());
  int exit_status = kExitOk;
  if (!flags.json && !names->empty()) {
    screen.Print(absl::StrFormat("%-16s %-12s %-8s %-7s %10s %8s  %s\n", "NAME", "DIGEST", "FORMAT",
                                 "PYTHON", "SIZE", "ENTRIES", "DESCRIPTION"));
  }
  for (const std::string& name : *names) {
    const auto manifest = ReadManifest(flags.store, name);
    if (!manifest.ok()) {
      exit_status = Fail(manifest.status());
      continue;
    }
    screen.Print(flags.json ? JsonLine(**manifest) : Row(**manifest));
  }
  return screen.status().ok() ? exit_status : Fail(screen.status());
}

int Verify(const Flags& flags) {
  absl::StatusOr<std::vector<std::string>> names = flags.names;
  if (flags.names.empty()) names = ImageNames(flags.store);
  if (!names.ok()) return Fail(names.status());
  Screen screen(DetectScreen());
  int exit_status = kExitOk;
  for (const std::string& name : *names) {
    const absl::Status status = VerifyImage(flags.store, name);
    if (status.ok()) screen.Print(absl::StrCat(OneLine(name), " is as it was built\n"));
    if (absl::IsNotFound(status))
      exit_status = std::max(exit_status, FailUsage(status));
    else if (!status.ok())
      exit_status = std::max<int>(exit_status, (Fail(status), kExitUserCode));
  }
  return screen.status().ok() ? exit_status : Fail(screen.status());
}

void PrintText(const internal::Manifest& manifest, Screen* screen) {
  screen->Print(absl::StrFormat(
      "name      %s\n          %s\ndigest    %s\nfile      %s, %s\ncontent   %d entries, %s\n"
      "python    %s\nsource    %s\n",
      OneLine(manifest.name()), OneLine(manifest.description()), OneLine(manifest.digest()),
      manifest.file(), Bytes(manifest.file_bytes()), manifest.entries(),
      Bytes(manifest.content_bytes()), OneLine(manifest.python_version()),
      OneLine(manifest.inputs().source())));
  for (const std::string& source : manifest.inputs().package_sources()) {
    screen->Print(absl::StrCat("          ", OneLine(source), "\n"));
  }
  for (const auto& [title, packages] : {std::pair("Python packages", &manifest.python_packages()),
                                        {"Debian packages", &manifest.packages()}}) {
    screen->Print(absl::StrFormat("\n%s, %d:\n", title, packages->size()));
    for (const internal::Package& package : *packages) {
      screen->Print(
          absl::StrFormat("  %-32s %s\n", OneLine(package.name()), OneLine(package.version())));
    }
  }
}

int Inspect(const Flags& flags) {
  const auto manifest = ReadManifest(flags.store, flags.names[0]);
  if (!manifest.ok())
    return absl::IsNotFound(manifest.status()) ? FailUsage(manifest.status())
                                               : Fail(manifest.status());
  Screen screen(DetectScreen());
  if (flags.json)
    screen.Print(JsonLine(**manifest));
  else
    PrintText(**manifest, &screen);
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

int Remove(const Flags& flags) {
  for (const std::string& name : flags.names) {
    if (const absl::Status status = CheckImageName(name); !status.ok()) return FailUsage(status);
  }
  const absl::StatusOr<StoreLock> lock = StoreLock::Take(flags.store);
  if (!lock.ok()) return Fail(lock.status());
  int exit_status = kExitOk;
  for (const std::string& name : flags.names) {
    const absl::Status status = lock->Remove(name);
    if (absl::IsNotFound(status))
      exit_status = std::max(exit_status, FailUsage(status));
    else if (!status.ok())
      exit_status = std::max(exit_status, Fail(status));
  }
  return exit_status;
}

CLI::App* AddCommand(CLI::App* group, Command* command, const std::shared_ptr<Flags>& flags,
                     const char* name, const char* help, int (*action)(const Flags&)) {
  CLI::App* app = group->add_subcommand(name, help);
  app->add_option("--store", flags->store, "Folder of images")
      ->default_str(DefaultStore())
      ->type_name("FOLDER");
  app->callback([=] {
    if (flags->store.empty()) flags->store = DefaultStore();
    command->action = [=] { return action(*flags); };
  });
  return app;
}

}  // namespace

void AddRootfs(CLI::App* app, Command* command) {
  CLI::App* group = app->add_subcommand("rootfs", "Make, check and remove root filesystem images");
  group->require_subcommand(1);
  const auto flags = std::make_shared<Flags>();
  CLI::App* build =
      AddCommand(group, command, flags, "build", "Build an image from Debian packages", Build);
  build->add_option("RECIPE", flags->source, "minimal, data, science, or a file")->required();
  build->add_option("--name", flags->image_name, "Name of the image, if not the recipe's");
  build->add_option("--format", flags->format, "erofs (one file), squashfs (small) or dir")
      ->capture_default_str();
  CLI::App* import =
      AddCommand(group, command, flags, "import",
                 "Make an image from an OCI image layout (a folder or a tar file)", Import);
  import->add_option("LAYOUT", flags->source, "The folder or tar file")->required();
  import->add_option("--name", flags->image_name, "Name of the image")->required();
  import->add_option("--format", flags->format, "erofs, squashfs or dir")->capture_default_str();
  CLI::App* list = AddCommand(group, command, flags, "list", "Show the images", List);
  list->add_flag("--json", flags->json, "One image a line in JSON");
  CLI::App* verify =
      AddCommand(group, command, flags, "verify",
                 "Read every byte of images and compare with what was built", Verify);
  verify->add_option("NAME", flags->names, "The images; none: all");
  CLI::App* inspect =
      AddCommand(group, command, flags, "inspect", "Show what an image is made of", Inspect);
  inspect->add_option("NAME", flags->names, "The image")->required()->expected(1);
  inspect->add_flag("--json", flags->json, "As one line of JSON");
  CLI::App* remove = AddCommand(group, command, flags, "remove", "Remove images", Remove);
  remove->add_option("NAME", flags->names, "The images")->required();
  group->footer(
      "\nImages are read-only and shared by all sessions; `cellblock run --image NAME` uses one.\n"
      "Exit status: 0 all went well, 1 an image is damaged, 2 wrong usage, 3 the machinery "
      "failed.");
}

}  // namespace cellblock::cli
