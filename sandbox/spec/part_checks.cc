#include "sandbox/spec/part_checks.h"

#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/spec/environment.h"
#include "sandbox/spec/host_pattern.h"
#include "sandbox/spec/policy_name.h"

namespace cellblock {
namespace {

constexpr int kMaxHosts = 256;
constexpr int kMaxBinds = 32;

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text), "\" ");
}

std::vector<IpRange> CheckPrivateNetworks(const v1::Policy& message, CheckContext& context) {
  std::vector<IpRange> ranges;
  for (int i = 0; i < message.dangerous().private_networks_size(); ++i) {
    const v1::PrivateNetwork& network = message.dangerous().private_networks(i);
    const std::string field = absl::StrCat("dangerous.private_networks[", i, "]");
    context.CheckReason(field + ".reason", network.reason());
    const absl::StatusOr<IpRange> range = ParseRange(network.range());
    if (!range.ok()) {
      context.Error(field + ".range",
                    absl::StrCat(Quoted(network.range()), range.status().message()));
    } else if (!IsPrivate(*range)) {
      context.Error(field + ".range",
                    absl::StrCat(network.range(),
                                 " is not private throughout: allowed hosts on the "
                                 "Internet need no range"));
    } else {
      ranges.push_back(*range);
    }
  }
  return ranges;
}

// A host that could only be reached on a private network must have one named.
void CheckReach(const HostPattern& host, const std::vector<IpRange>& networks,
                const std::string& field, CheckContext& context) {
  if (host.IsLocalName() && networks.empty()) {
    context.Error(field, absl::StrCat(host.host,
                                      " lies on a private network: name its range in "
                                      "dangerous.private_networks"));
  }
  if (!host.address) return;
  const IpAddress address = *ParseAddress(host.host);
  bool named = !IsPrivate(address);
  for (const IpRange& range : networks) named = named || range.Contains(address);
  if (!named) {
    context.Error(field, absl::StrCat(host.host,
                                      " is a private address: name its range in "
                                      "dangerous.private_networks"));
  }
}

void CheckBinds(const v1::Policy& message, CheckContext& context) {
  const auto& binds = message.filesystem().read_only();
  if (binds.size() > kMaxBinds) {
    return context.Error("filesystem.read_only", absl::StrCat("more than ", kMaxBinds));
  }
  std::map<std::string, std::string> seen;
  for (int i = 0; i < binds.size(); ++i) {
    const std::string field = absl::StrCat("filesystem.read_only[", i, "]");
    context.CheckReason(field + ".reason", binds[i].reason());
    if (!IsPolicyName(binds[i].name())) context.Error(field + ".name", kPolicyNameRule);
    const auto [other, fresh] = seen.emplace(binds[i].name(), field);
    if (!fresh) {
      context.Error(field + ".name",
                    absl::StrCat("is at ", context.PlaceOf(other->second).ToString(), " already"));
    }
  }
}

void CheckVariables(const v1::Policy& message, CheckContext& context) {
  if (message.environment_size() > kMaxEnvironment) {
    return context.Error("environment", absl::StrCat("more than ", kMaxEnvironment, " variables"));
  }
  std::map<std::string, std::string> seen;
  size_t total = 0;
  for (int i = 0; i < message.environment_size(); ++i) {
    const v1::EnvironmentVariable& variable = message.environment(i);
    const std::string field = absl::StrCat("environment[", i, "]");
    const std::string name = WrongVariableName(variable.name());
    if (!name.empty()) context.Error(field + ".name", name);
    const std::string value = WrongVariableValue(variable.value());
    if (!value.empty()) context.Error(field + ".value", value);
    const auto [other, fresh] = seen.emplace(variable.name(), field);
    if (!fresh) {
      context.Error(field + ".name",
                    absl::StrCat("is set at ", context.PlaceOf(other->second).ToString(),
                                 " already; a policy that extends may replace: \"environment\""));
    }
    total += variable.name().size() + variable.value().size() + 2;
  }
  if (total > kMaxEnvironmentTotal) context.Error("environment", "larger than 64 KiB in all");
}

}  // namespace

void CheckNetwork(const v1::Policy& message, CheckContext& context) {
  const std::vector<IpRange> networks = CheckPrivateNetworks(message, context);
  const auto& hosts = message.network().allow();
  if (hosts.size() > kMaxHosts) {
    return context.Error("network.allow", absl::StrCat("more than ", kMaxHosts, " hosts"));
  }
  for (int i = 0; i < hosts.size(); ++i) {
    const std::string field = absl::StrCat("network.allow[", i, "]");
    context.CheckReason(field + ".reason", hosts[i].reason());
    const absl::StatusOr<HostPattern> host = ParseHostPattern(hosts[i].host());
    if (host.ok()) {
      CheckReach(*host, networks, field + ".host", context);
    } else {
      context.Error(field + ".host",
                    absl::StrCat(Quoted(hosts[i].host()), host.status().message()));
    }
  }
}

void CheckSurroundings(const v1::Policy& message, CheckContext& context) {
  CheckBinds(message, context);
  CheckVariables(message, context);
  const std::string zone = WrongTimeZone(message.time_zone());
  if (!zone.empty()) context.Error("time_zone", zone);
}

}  // namespace cellblock
