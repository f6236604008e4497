// cellblock policy check: everything that is wrong in policy files.
#include <google/protobuf/text_format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "internal/daemon.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/output/screen.h"
#include "tools/cli/policy/commands.h"
#include "tools/cli/policy/named_policy.h"

namespace cellblock::cli {
namespace {

struct Flags {
  std::vector<std::string> files;
  std::string config;
  bool json = false;
};

// launcher.ceiling of a daemon's configuration.
absl::StatusOr<Limits> ReadCeiling(const std::string& path) {
  if (path.empty()) return Limits();
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, 1 << 20));
  internal::DaemonConfig config;
  if (!google::protobuf::TextFormat::ParseFromString(text, &config)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is no daemon configuration; cellblockd --check_config tells more"));
  }
  return LimitsFrom(config.launcher().ceiling());
}

nlohmann::json JsonOf(const std::string& file, const PolicyReview& review) {
  nlohmann::json entry = {{"file", file}, {"ok", review.findings.empty()}};
  if (review.compiled) {
    const Policy& policy = review.compiled->policy;
    entry["name"] = policy.name();
    entry["digest"] = policy.digest();
    entry["files"] = policy.files();
    entry["rules"] = policy.syscall_rules().size();
    entry["instructions"] = review.compiled->program.instructions().size();
  }
  entry["findings"] = nlohmann::json::array();
  for (const PolicyFinding& finding : review.findings) {
    entry["findings"].push_back({{"file", finding.place.file},
                                 {"line", finding.place.line},
                                 {"field", finding.field},
                                 {"message", finding.what}});
  }
  return entry;
}

std::string TextOf(const std::string& file, const PolicyReview& review) {
  std::string text;
  for (const PolicyFinding& finding : review.findings) {
    absl::StrAppend(&text, OneLine(finding.ToString()), "\n");
  }
  if (!review.compiled) return text;
  const CompiledPolicy& compiled = *review.compiled;
  return absl::StrCat(OneLine(file), ": policy ", compiled.policy.name(),
                      " is in order: ", compiled.policy.syscall_rules().size(), " rules, ",
                      compiled.program.instructions().size(), " instructions\n");
}

// A daemon takes no two policies of one name.
void AddTwins(const std::string& file, std::map<std::string, std::string>* names,
              PolicyReview* review) {
  if (!review->compiled) return;
  const Policy& policy = review->compiled->policy;
  const auto [other, fresh] = names->emplace(policy.name(), file);
  if (fresh || other->second == file) return;
  review->findings.push_back(
      {policy.PlaceOf("name"), "name", absl::StrCat("is that of ", other->second, " too")});
  review->compiled.reset();
}

int Check(const Flags& flags) {
  const absl::StatusOr<Limits> ceiling = ReadCeiling(flags.config);
  if (!ceiling.ok()) return FailUsage(ceiling.status());
  nlohmann::json all = nlohmann::json::array();
  Screen screen(DetectScreen());
  std::map<std::string, std::string> names;
  bool good = true;
  for (const std::string& file : flags.files) {
    absl::StatusOr<PolicyReview> review = ReviewPolicy(file, *ceiling);
    if (absl::IsInvalidArgument(review.status())) {
      review = PolicyReview{{{{file, 0}, "", std::string(review.status().message())}}, {}};
    }
    if (!review.ok()) return FailUsage(review.status());
    AddTwins(file, &names, &*review);
    good = good && review->findings.empty();
    if (flags.json) {
      all.push_back(JsonOf(file, *review));
    } else {
      screen.Print(TextOf(file, *review));
    }
  }
  if (flags.json) {
    screen.Print(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  if (!screen.status().ok()) return Fail(screen.status());
  return good ? kExitOk : kExitUserCode;
}

}  // namespace

void AddPolicyCheck(CLI::App* group, Command* command) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* check = group->add_subcommand("check", "Find everything that is wrong in policies");
  check->add_option("POLICY", flags->files, "Policy files, or names of installed policies")
      ->required();
  check
      ->add_option("--config", flags->config,
                   "Hold limits to launcher.ceiling of this cellblockd file")
      ->type_name("FILE");
  check->add_flag("--json", flags->json, "Print the findings as JSON");
  check->footer(
      "\nEach finding is FILE:LINE: FIELD: what is wrong and what to do.\n"
      "Exit status: 0 nothing is wrong, 1 something is, 2 a file cannot be read.");
  check->callback([flags, command] { command->action = [flags] { return Check(*flags); }; });
}

}  // namespace cellblock::cli
