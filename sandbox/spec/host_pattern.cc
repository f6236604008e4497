#include "sandbox/spec/host_pattern.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr int kMappedBits = 96;  // of ::ffff:0:0/96
constexpr size_t kMaxHost = 253;
constexpr size_t kMaxLabel = 63;
constexpr size_t kMinWildcardLabels = 2;

constexpr const char* kPrivateRanges[] = {
    "0.0.0.0/8",      "10.0.0.0/8",    "100.64.0.0/10", "127.0.0.0/8",
    "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",  "192.168.0.0/16",
    "198.18.0.0/15",  "224.0.0.0/4",   "240.0.0.0/4",   "::1/128",
    "::/128",         "fc00::/7",      "fe80::/10",     "ff00::/8"};
constexpr const char* kLocalSuffixes[] = {".localhost", ".local", ".internal", ".localdomain",
                                          ".lan",       ".home",  ".intranet", ".home.arpa"};

absl::Status Wrong(const char* what) {
  return absl::InvalidArgumentError(what);
}

const std::vector<IpRange>& PrivateRanges() {
  static const auto* const ranges = [] {
    auto* list = new std::vector<IpRange>;
    for (const char* text : kPrivateRanges) list->push_back(*ParseRange(text));
    return list;
  }();
  return *ranges;
}

bool SameBits(const IpAddress& a, const IpAddress& b, int count) {
  for (int bit = 0; bit < count; ++bit) {
    const int mask = 0x80 >> bit % 8;
    if (((a.bytes[bit / 8] ^ b.bytes[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

bool IsHostName(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return !label.empty() && label.size() <= kMaxLabel && label.front() != '-' &&
           label.back() != '-' && std::all_of(label.begin(), label.end(), [](unsigned char c) {
             return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '_';
           });
  });
}

absl::Status ParseName(absl::string_view host, HostPattern* pattern) {
  if (ParseAddress(host).ok()) {
    pattern->address = true;
    pattern->host = std::string(host);
    return absl::OkStatus();
  }
  pattern->wildcard = absl::ConsumePrefix(&host, "*.");
  pattern->host = std::string(host);
  const std::vector<std::string> labels = absl::StrSplit(host, '.');
  if (host.size() > kMaxHost || !IsHostName(labels)) {
    return Wrong(
        "is no host: lower-case letters, digits, - and dots; \"*.\" may stand before a name");
  }
  // "1.2.3" or "10.0.0.300" would be read as an address by some and as a name by others.
  if (absl::ascii_isdigit(labels.back().front())) return Wrong("is neither an address nor a name");
  if (pattern->wildcard && labels.size() < kMinWildcardLabels) {
    return Wrong("is too wide: after \"*.\" come at least two labels");
  }
  return absl::OkStatus();
}

}  // namespace

bool IpRange::Contains(const IpAddress& address) const {
  return SameBits(first, address, prefix);
}

bool IpRange::Contains(const IpRange& other) const {
  return other.prefix >= prefix && Contains(other.first);
}

absl::StatusOr<IpAddress> ParseAddress(absl::string_view text) {
  const std::string copy(text);
  IpAddress address;
  if (inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) return address;
  address.bytes[10] = address.bytes[11] = 0xff;
  if (inet_pton(AF_INET, copy.c_str(), address.bytes.data() + 12) == 1) return address;
  return Wrong("is no IP address");
}

absl::StatusOr<IpRange> ParseRange(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  IpRange range;
  CELLBLOCK_ASSIGN_OR_RETURN(range.first, ParseAddress(parts.first));
  const bool v4 = parts.first.find(':') == absl::string_view::npos;
  const bool digits = !parts.second.empty() && absl::ascii_isdigit(parts.second[0]);
  if (!digits || !absl::SimpleAtoi(parts.second, &range.prefix) || range.prefix < 0 ||
      range.prefix > (v4 ? 32 : 128)) {
    return Wrong("needs the length of its prefix, as in 10.20.0.0/16");
  }
  if (v4) range.prefix += kMappedBits;
  for (int bit = range.prefix; bit < 128; ++bit) {
    if ((range.first.bytes[bit / 8] & 0x80 >> bit % 8) != 0) {
      return Wrong("has bits behind its prefix: give the first address of the range");
    }
  }
  return range;
}

bool IsPrivate(const IpAddress& address) {
  return std::any_of(PrivateRanges().begin(), PrivateRanges().end(),
                     [&](const IpRange& range) { return range.Contains(address); });
}

bool IsPrivate(const IpRange& range) {
  return std::any_of(PrivateRanges().begin(), PrivateRanges().end(),
                     [&](const IpRange& own) { return own.Contains(range); });
}

bool HostPattern::Matches(absl::string_view name, uint16_t to_port) const {
  if (to_port != port) return false;
  if (!wildcard) return name == host;
  return name.size() > host.size() + 1 && absl::EndsWith(name, "." + host);
}

bool HostPattern::Covers(const HostPattern& other) const {
  if (port != other.port) return false;
  if (!other.wildcard) return Matches(other.host, other.port);
  return wildcard && (other.host == host || absl::EndsWith(other.host, "." + host));
}

bool HostPattern::IsLocalName() const {
  if (address) return false;
  if (host.find('.') == std::string::npos) return true;
  return std::any_of(std::begin(kLocalSuffixes), std::end(kLocalSuffixes),
                     [&](const char* suffix) { return absl::EndsWith("." + host, suffix); });
}

absl::StatusOr<HostPattern> ParseHostPattern(absl::string_view text) {
  HostPattern pattern;
  const size_t colon = text.rfind(':');
  const absl::string_view port = colon == absl::string_view::npos ? "" : text.substr(colon + 1);
  uint32_t number = 0;
  if (port.empty() || !absl::ascii_isdigit(port[0]) || !absl::SimpleAtoi(port, &number) ||
      number == 0 || number > UINT16_MAX) {
    return Wrong("needs its port, 1 to 65535, as in pypi.org:443");
  }
  pattern.port = static_cast<uint16_t>(number);
  absl::string_view host = text.substr(0, colon);
  const bool brackets = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  if (brackets != (host.find(':') != absl::string_view::npos)) {
    return Wrong("is no host: an IPv6 address stands in brackets, as in [2001:db8::1]:443");
  }
  CELLBLOCK_RETURN_IF_ERROR(ParseName(host, &pattern));
  if (brackets && !pattern.address) return Wrong("has no address in its brackets");
  return pattern;
}

}  // namespace cellblock
