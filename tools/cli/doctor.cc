// cellblock doctor: what this machine can enforce, found out by trying.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/doctor/probe.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/screen.h"

namespace cellblock::cli {
namespace {

enum class Format { kText, kJson };

int Examine(Format format) {
  Findings findings;
  for (const auto probe : {ProbeIdentity, ProbeNamespaces, ProbeMounts, ProbeSystemCalls,
                           ProbeCgroups, ProbeUids, ProbePython, ProbePrograms, ProbeRun}) {
    probe(&findings);
  }
  Screen screen(DetectScreen());
  screen.Print(format == Format::kJson ? FindingsJson(findings) : FindingsText(findings));
  if (!screen.status().ok()) return Fail(screen.status());
  return AllRequiredPresent(findings) ? kExitOk : kExitUserCode;
}

}  // namespace

void AddDoctor(CLI::App* app, Command* command) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* doctor =
      app->add_subcommand("doctor", "Try everything that sandboxes need on this machine");
  doctor->add_flag("--json", *json, "Print the findings as one JSON object");
  doctor->footer(
      "\nEach facility is tried for real, in a process that ends with the attempt; nothing of the\n"
      "machine is changed. ok: works. warning: cells run, with weaker limits. missing: cells\n"
      "cannot run. Each comes with its remedy.\n"
      "Exit status: 0 cells can run, 1 something required is missing.");
  doctor->callback([json, command] {
    command->action = [json] { return Examine(*json ? Format::kJson : Format::kText); };
  });
}

}  // namespace cellblock::cli
