// cellblock policy explain: what decides, where it is written, and why.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "sandbox/seccomp/disassemble.h"
#include "sandbox/spec/known_calls.h"
#include "tools/cli/command.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/output/screen.h"
#include "tools/cli/policy/commands.h"
#include "tools/cli/policy/explanation.h"
#include "tools/cli/policy/named_policy.h"

namespace cellblock::cli {
namespace {

struct Flags {
  std::string policy;
  std::vector<std::string> subject;
  bool bpf = false, json = false;
};

absl::StatusOr<nlohmann::json> ExplanationOf(const Flags& flags, const CompiledPolicy& compiled) {
  if (flags.subject.empty()) return ExplainPolicy(compiled);
  const std::string& first = flags.subject.front();
  const bool path = first.find('/') == 0;
  const bool host = !path && first.find_first_of(".:") != std::string::npos;
  if ((path || host) && flags.subject.size() > 1) {
    return absl::InvalidArgumentError("explain takes one path or host at a time");
  }
  if (path) return ExplainPath(compiled.policy, first);
  if (host) return ExplainHost(compiled.policy, first);
  return ExplainCall(compiled, flags.subject);
}

int Explain(const Flags& flags) {
  const absl::StatusOr<CompiledPolicy> compiled = OpenPolicy(flags.policy);
  if (!compiled.ok()) return FailUsage(compiled.status());
  const absl::StatusOr<nlohmann::json> explanation = ExplanationOf(flags, *compiled);
  if (!explanation.ok()) return FailUsage(explanation.status());
  Screen screen(DetectScreen());
  if (flags.json) {
    screen.Print(explanation->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    screen.Print(ExplanationText(*explanation));
    if (flags.bpf) screen.Print("\nThe compiled filter:\n" + Disassemble(compiled->program));
  }
  return screen.status().ok() ? kExitOk : Fail(screen.status());
}

}  // namespace

void AddPolicyExplain(CLI::App* group, Command* command) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* explain = group->add_subcommand("explain", "Say what a policy decides, where and why");
  explain->add_option("POLICY", flags->policy, "A policy file, or the name of an installed policy")
      ->required();
  explain->add_option("SUBJECT", flags->subject,
                      "A system call (with arguments, if they matter), a /path, or a host:port");
  explain->add_flag("--bpf", flags->bpf, "Also print the compiled filter's instructions");
  explain->add_flag("--json", flags->json, "Print the explanation as JSON");
  explain->footer(
      "\nWithout a SUBJECT: the limits, and every system call with its verdict and reason.\n"
      "E.g. cellblock policy explain python ioctl 0 TIOCSTI");
  explain->callback([flags, command] { command->action = [flags] { return Explain(*flags); }; });
}

}  // namespace cellblock::cli
