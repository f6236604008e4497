#include <unistd.h>

#include <CLI/CLI.hpp>

#include "sandbox/base/status.h"
#include "tools/cli/cell_loop.h"
#include "tools/cli/session_flags.h"

namespace cellblock::cli {

void AddCellFlags(CLI::App* app, CellFlags* flags) {
  app->add_option("--timeout", flags->timeout,
                  "Longest time for one cell, e.g. 30s or 5m; the policy's if that is shorter")
      ->type_name("TIME");
  app->add_flag("--keep-going", flags->keep_going, "Run the later cells after a failed one");
  app->add_option("--values", flags->values,
                  "Print the value of a cell's last expression: always, never, or auto: for "
                  "notebooks and on a terminal")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app->add_option("--output-dir", flags->image_folder,
                  "Where shown images are saved; made with the first one. Default: cellblock-out")
      ->type_name("DIR");
  app->add_flag("--input", flags->offer_input,
                "Let input() read this command's standard input; the rule on a terminal");
  app->add_flag("--json", flags->json,
                "Print each event as one line of JSON (proto3 JSON of ExecuteEvent), nothing else");
}

absl::StatusOr<CellOptions> ReadCellFlags(const CellFlags& flags) {
  CellOptions options;
  if (!flags.timeout.empty()) {
    CELLBLOCK_ASSIGN_OR_RETURN(options.timeout, ParseTime(flags.timeout));
  }
  if (flags.keep_going) options.on_failure = OnFailure::kGoOn;
  if (flags.json) options.format = Format::kJson;
  if (flags.values == "always") options.values = Values::kAlways;
  if (flags.values == "never") options.values = Values::kNever;
  const bool terminal = isatty(STDIN_FILENO) == 1 && !flags.json;
  if (flags.offer_input || terminal) options.input = Input::kFromHere;
  options.image_folder = flags.image_folder;
  return options;
}

}  // namespace cellblock::cli
