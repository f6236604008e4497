#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/policy/explanation.h"

namespace cellblock::cli {
namespace {

std::string Text(const nlohmann::json& json, const char* key) {
  return json.contains(key) ? OneLine(json[key].get<std::string>()) : "";
}

// "  reason\n  python.textproto:12 syscalls.rules[3], group @file-system\n"
std::string WhereText(const nlohmann::json& rule) {
  std::string text;
  if (!Text(rule, "reason").empty()) absl::StrAppend(&text, "    ", Text(rule, "reason"), "\n");
  if (Text(rule, "place").empty()) return text;
  absl::StrAppend(&text, "    ", Text(rule, "place"));
  if (!Text(rule, "field").empty()) absl::StrAppend(&text, " ", Text(rule, "field"));
  if (!Text(rule, "group").empty()) absl::StrAppend(&text, ", group ", Text(rule, "group"));
  return text + "\n";
}

std::string CallText(const nlohmann::json& json) {
  if (json.contains("decided_by")) {
    const nlohmann::json& decision = json["decided_by"];
    std::string text = absl::StrCat(Text(json, "call"), ": ", Text(json, "verdict"), "\n");
    if (!Text(decision, "when").empty()) {
      absl::StrAppend(&text, "    because ", Text(decision, "when"), "\n");
    }
    return text + WhereText(decision);
  }
  std::string text = absl::StrCat(Text(json, "call"), ": depends on its arguments\n");
  for (const nlohmann::json& rule : json["rules"]) {
    const std::string when = Text(rule, "when");
    absl::StrAppend(&text, "  ", Text(rule, "verdict"), " ",
                    when.empty() ? "whatever its arguments" : "when " + when, "\n",
                    WhereText(rule));
  }
  return absl::StrCat(text, "  ", Text(json, "otherwise"), " otherwise\n");
}

std::string PathText(const nlohmann::json& json) {
  const std::string verdict = Text(json, "verdict");
  std::string text = absl::StrCat(Text(json, "path"), ": ",
                                  verdict == "WRITABLE"    ? "writable"
                                  : verdict == "READ_ONLY" ? "read-only"
                                                           : "not there",
                                  "\n    ", Text(json, "what"), "\n");
  if (json.contains("executable")) {
    absl::StrAppend(&text, "    programs there ",
                    json["executable"].get<bool>() ? "may be run" : "cannot be run", "\n");
  }
  if (json.contains("limit")) {
    absl::StrAppend(&text, "    paid for by ", Text(json, "limit"), " of ", Text(json, "place"),
                    "\n");
    return text;
  }
  return text + WhereText(json);
}

std::string HostText(const nlohmann::json& json) {
  const bool allowed = json.contains("allowed_by");
  std::string text = absl::StrCat(Text(json, "host"), ": ", allowed ? "allowed" : "refused", "\n");
  if (!allowed) {
    absl::StrAppend(&text, "    no host of network.allow matches: the session has only loopback\n");
  }
  for (const nlohmann::json& near : json.value("nearest", nlohmann::json::array())) {
    absl::StrAppend(&text, "    allowed at ", OneLine(near.get<std::string>()), "\n");
  }
  for (const nlohmann::json& rule : json.value("allowed_by", nlohmann::json::array())) {
    absl::StrAppend(&text, "  by ", Text(rule, "host"), "\n", WhereText(rule));
  }
  return text;
}

std::string ListText(const nlohmann::json& json, const char* list, const char* title) {
  if (!json.contains(list)) return "";
  std::string text = absl::StrCat("\n", title, ":\n");
  for (const nlohmann::json& entry : json[list]) {
    absl::StrAppend(&text, "  ", Text(entry, "what"), "\n", WhereText(entry));
  }
  return text;
}

// One line of the table of all calls.
std::string RowText(const nlohmann::json& call) {
  const bool depends = !call.contains("decided_by");
  const nlohmann::json by = !depends                ? call["decided_by"]
                            : call["rules"].empty() ? nlohmann::json::object()
                                                    : call["rules"].front();
  const std::string place = Text(by, "place");
  return absl::StrFormat("  %-24s %-8s %s%s%s\n", Text(call, "call"), Text(call, "verdict"), place,
                         place.empty() ? "" : ": ", Text(by, "reason"));
}

std::string PolicyText(const nlohmann::json& json) {
  std::string text = absl::StrCat(Text(json, "name"), ": ", Text(json, "description"), "\n");
  absl::StrAppend(&text, "digest ", Text(json, "digest"), "\nmade of");
  for (const nlohmann::json& file : json["files"]) {
    absl::StrAppend(&text, " ", OneLine(file.get<std::string>()));
  }
  absl::StrAppend(&text, "\n\nLimits and other values:\n");
  for (const nlohmann::json& value : json["values"]) {
    absl::StrAppendFormat(&text, "  %-30s %-26s %s\n", Text(value, "field"), Text(value, "value"),
                          Text(value, "place"));
  }
  absl::StrAppend(&text, ListText(json, "dangers", "DANGEROUS, beyond what is recommended"),
                  ListText(json, "hosts", "Hosts that may be reached"),
                  ListText(json, "folders", "Folders of the host, read-only below /data"),
                  ListText(json, "environment", "Environment"));
  absl::StrAppend(&text, "\nSystem calls (DEPENDS: on arguments; ask for the call by name):\n");
  for (const nlohmann::json& call : json["calls"]) absl::StrAppend(&text, RowText(call));
  return text;
}

}  // namespace

std::string ExplanationText(const nlohmann::json& explanation) {
  const std::string subject = explanation["subject"].get<std::string>();
  return subject == "policy" ? PolicyText(explanation)
         : subject == "path" ? PathText(explanation)
         : subject == "host" ? HostText(explanation)
                             : CallText(explanation);
}

}  // namespace cellblock::cli
