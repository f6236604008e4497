// The doctor's findings for people and for programs.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "tools/cli/doctor/probe.h"

namespace cellblock::cli {
namespace {

const char* LevelWord(Level level) {
  switch (level) {
    case Level::kOk:
      return "ok";
    case Level::kWarning:
      return "warning";
    case Level::kMissing:
      return "missing";
  }
  return "";
}

}  // namespace

std::string FindingsText(const Findings& findings) {
  std::string text;
  int warnings = 0, missing = 0;
  for (const Finding& finding : findings) {
    warnings += finding.level == Level::kWarning ? 1 : 0;
    missing += finding.level == Level::kMissing ? 1 : 0;
    absl::StrAppend(&text,
                    absl::StrFormat("%-8s %-26s %s\n", LevelWord(finding.level), finding.name,
                                    absl::StrReplaceAll(finding.detail, {{"\n", "\n    "}})));
    if (!finding.remedy.empty()) {
      absl::StrAppend(&text, absl::StrFormat("%-8s %-26s -> %s\n", "", "", finding.remedy));
    }
  }
  absl::StrAppend(&text, "\n");
  if (missing > 0) {
    absl::StrAppend(&text, "Cells cannot run here: ", missing, " required missing.\n");
  } else if (warnings > 0) {
    absl::StrAppend(&text, "Cells run here; ", warnings,
                    warnings == 1 ? " thing is" : " things are", " weaker than could be.\n");
  } else {
    absl::StrAppend(&text, "All is well.\n");
  }
  return text;
}

std::string FindingsJson(const Findings& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"name", finding.name},
                    {"level", LevelWord(finding.level)},
                    {"detail", finding.detail},
                    {"remedy", finding.remedy}});
  }
  const nlohmann::json report = {{"ok", AllRequiredPresent(findings)}, {"findings", list}};
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace cellblock::cli
