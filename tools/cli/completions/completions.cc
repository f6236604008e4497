#include "tools/cli/completions/completions.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace cellblock::cli {
namespace {

void Collect(const CLI::App& app, const std::string& path, CommandWords* words) {
  CommandEntry entry;
  entry.path = path;
  const auto everything = [](const CLI::App*) { return true; };
  for (const CLI::App* command : app.get_subcommands(everything)) {
    entry.commands.push_back({command->get_name(), command->get_description(), false});
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      entry.flags.push_back({absl::StrCat("--", name), option->get_description(),
                             option->get_items_expected_max() > 0});
    }
    for (const std::string& name : option->get_snames()) {
      entry.flags.push_back({absl::StrCat("-", name), option->get_description(),
                             option->get_items_expected_max() > 0});
    }
  }
  words->push_back(std::move(entry));
  for (const CLI::App* command : app.get_subcommands(everything)) {
    Collect(*command, absl::StrCat(path, path.empty() ? "" : " ", command->get_name()), words);
  }
}

std::string Join(const std::vector<Word>& words) {
  return absl::StrJoin(words, " ",
                       [](std::string* out, const Word& word) { absl::StrAppend(out, word.text); });
}

// Inside single quotes of a shell.
std::string Quote(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

}  // namespace

CommandWords WordsOf(const CLI::App& app) {
  CommandWords words;
  Collect(app, "", &words);
  return words;
}

std::string BashCompletion(const CommandWords& words) {
  std::string text =
      "# bash completion for cellblock\n"
      "_cellblock() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} path= word i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case \"$path $word\" in\n";
  for (const CommandEntry& entry : words) {
    if (entry.path.empty()) continue;
    const size_t space = entry.path.rfind(' ');
    const std::string parent = space == std::string::npos ? "" : entry.path.substr(0, space);
    const std::string name = entry.path.substr(space == std::string::npos ? 0 : space + 1);
    absl::StrAppend(&text, "      '", parent, " ", name, "') path='", entry.path, "' ;;\n");
  }
  absl::StrAppend(&text, "    esac\n  done\n  local commands= flags=\n  case \"$path\" in\n");
  for (const CommandEntry& entry : words) {
    absl::StrAppend(&text, "    '", entry.path, "') commands='", Join(entry.commands), "' flags='",
                    Join(entry.flags), "' ;;\n");
  }
  absl::StrAppend(&text,
                  "  esac\n"
                  "  if [[ $current == -* ]]; then\n"
                  "    COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))\n"
                  "  elif [[ -n $commands ]]; then\n"
                  "    COMPREPLY=($(compgen -W \"$commands\" -- \"$current\"))\n"
                  "  else\n"
                  "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
                  "  fi\n"
                  "}\n"
                  "complete -o filenames -F _cellblock cellblock\n");
  return text;
}

std::string ZshCompletion(const CommandWords& words) {
  std::string text =
      "#compdef cellblock\n"
      "_cellblock() {\n"
      "  local path= word i\n"
      "  local -a commands flags\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    word=$words[i]\n"
      "    case \"$path $word\" in\n";
  text = absl::StrReplaceAll(text, {{"local path=", "local where="}, {"$path", "$where"}});
  for (const CommandEntry& entry : words) {
    if (entry.path.empty()) continue;
    const size_t space = entry.path.rfind(' ');
    const std::string parent = space == std::string::npos ? "" : entry.path.substr(0, space);
    const std::string name = entry.path.substr(space == std::string::npos ? 0 : space + 1);
    absl::StrAppend(&text, "      '", parent, " ", name, "') where='", entry.path, "' ;;\n");
  }
  absl::StrAppend(&text, "    esac\n  done\n  case \"$where\" in\n");
  const auto described = [](std::string* out, const Word& word) {
    absl::StrAppend(
        out, Quote(absl::StrCat(word.text, ":", absl::StrReplaceAll(word.help, {{":", "\\:"}}))));
  };
  for (const CommandEntry& entry : words) {
    absl::StrAppend(&text, "    '", entry.path, "')\n      commands=(",
                    absl::StrJoin(entry.commands, " ", described), ")\n      flags=(",
                    absl::StrJoin(entry.flags, " ", described), ") ;;\n");
  }
  absl::StrAppend(&text,
                  "  esac\n"
                  "  if [[ $words[CURRENT] == -* ]]; then\n"
                  "    _describe flag flags\n"
                  "  elif (( $#commands )); then\n"
                  "    _describe command commands\n"
                  "  else\n"
                  "    _files\n"
                  "  fi\n"
                  "}\n"
                  "compdef _cellblock cellblock\n");
  return text;
}

std::string FishCompletion(const CommandWords& words) {
  std::string text = "# fish completion for cellblock\n";
  for (const CommandEntry& entry : words) {
    std::string condition = "__fish_use_subcommand";
    if (!entry.path.empty()) {
      condition = absl::StrCat(
          "__fish_seen_subcommand_from ",
          absl::StrReplaceAll(entry.path, {{" ", "; and __fish_seen_subcommand_from "}}));
    }
    for (const Word& command : entry.commands) {
      absl::StrAppend(&text, "complete -c cellblock -n ", Quote(condition), " -f -a ", command.text,
                      " -d ", Quote(command.help), "\n");
    }
    for (const Word& flag : entry.flags) {
      absl::string_view name = flag.text;
      const bool is_long = absl::ConsumePrefix(&name, "--");
      if (!is_long) absl::ConsumePrefix(&name, "-");
      absl::StrAppend(&text, "complete -c cellblock -n ", Quote(condition),
                      is_long ? " -l " : " -s ", name, flag.takes_value ? " -r" : "", " -d ",
                      Quote(flag.help), "\n");
    }
  }
  return text;
}

}  // namespace cellblock::cli
