// Paths and hosts: what a session finds there.
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sandbox/base/status.h"
#include "sandbox/spec/host_pattern.h"
#include "tools/cli/policy/describe.h"
#include "tools/cli/policy/explanation.h"

namespace cellblock::cli {
namespace {

// The folders of every sandbox; the first that holds the path decides. `limit` is what pays for
// writing there.
struct Folder {
  const char* path;
  const char* verdict;  // WRITABLE, READ_ONLY, ABSENT
  const char* limit;
  const char* what;
};
constexpr Folder kFolders[] = {
    {"/work", "WRITABLE", "limits.disk_bytes", "the work folder, where cells start"},
    {"/mnt/data", "WRITABLE", "limits.disk_bytes", "a link to the work folder"},
    {"/home/cell", "WRITABLE", "limits.disk_bytes", "HOME"},
    {"/tmp", "WRITABLE", "limits.disk_bytes", "files for a while, gone with the session"},
    {"/var/tmp", "WRITABLE", "limits.disk_bytes", "where the image has it"},
    {"/dev/shm", "WRITABLE", "limits.shm_bytes", "shared memory, never executable"},
    {"/dev", "READ_ONLY", "", "null, zero, full, random and urandom, and nothing else"},
    {"/proc", "READ_ONLY", "", "the session's own processes; what tells of the host is masked"},
    {"/sys", "ABSENT", "", "no sandbox has it"},
    {"/opt/cellblock", "READ_ONLY", "", "the worker's package"},
};

bool Holds(absl::string_view folder, absl::string_view path) {
  return path == folder || absl::StartsWith(path, absl::StrCat(folder, "/"));
}

absl::StatusOr<nlohmann::json> ExplainShownFolder(const Policy& policy, const std::string& path) {
  for (const ReadOnlyBind& bind : policy.read_only_binds()) {
    if (!Holds("/data/" + bind.name, path)) continue;
    return nlohmann::json{{"subject", "path"},
                          {"path", path},
                          {"verdict", "READ_ONLY"},
                          {"what", "the folder of the host that the operator calls " + bind.name},
                          {"reason", bind.reason},
                          {"place", ShortPlace(bind.place)}};
  }
  return nlohmann::json{{"subject", "path"},
                        {"path", path},
                        {"verdict", "ABSENT"},
                        {"what", "filesystem.read_only names no folder that would be there"}};
}

}  // namespace

absl::StatusOr<nlohmann::json> ExplainPath(const Policy& policy, const std::string& path) {
  if (absl::StrContains(path, "/../") || absl::EndsWith(path, "/..") ||
      absl::StrContains(path, "//")) {
    return absl::InvalidArgumentError("write the path without .. and double slashes");
  }
  if (Holds("/data", path)) return ExplainShownFolder(policy, path);
  nlohmann::json json = {{"subject", "path"},
                         {"path", path},
                         {"verdict", "READ_ONLY"},
                         {"what", "part of the image, if the image has it"}};
  for (const Folder& folder : kFolders) {
    if (!Holds(folder.path, path)) continue;
    json["verdict"] = folder.verdict;
    json["what"] = folder.what;
    const std::string limit = folder.limit;
    if (limit.empty()) return json;
    json["limit"] = limit;
    json["place"] = ShortPlace(policy.PlaceOf(limit));
    if (limit != "limits.disk_bytes") return json;
    json["executable"] = policy.executable_work_dir();
    return json;
  }
  return json;
}

absl::StatusOr<nlohmann::json> ExplainHost(const Policy& policy, const std::string& host) {
  nlohmann::json json = {{"subject", "host"}, {"host", host}, {"verdict", "REFUSED"}};
  const bool has_port = absl::StrContains(host, ":");
  CELLBLOCK_ASSIGN_OR_RETURN(const HostPattern wanted,
                             ParseHostPattern(has_port ? host : host + ":443"));
  for (const AllowedHost& allowed : policy.allowed_hosts()) {
    CELLBLOCK_ASSIGN_OR_RETURN(HostPattern pattern, ParseHostPattern(allowed.host));
    const uint16_t port = pattern.port;
    if (!has_port) pattern.port = wanted.port;
    if (!pattern.Covers(wanted)) {
      pattern.port = wanted.port;
      if (pattern.Covers(wanted)) {
        json["nearest"].push_back(absl::StrCat("port ", port, ", by ", ShortPlace(allowed.place)));
      }
      continue;
    }
    json["verdict"] = "ALLOWED";
    json["allowed_by"].push_back(
        {{"host", allowed.host}, {"reason", allowed.reason}, {"place", ShortPlace(allowed.place)}});
  }
  return json;
}

}  // namespace cellblock::cli
