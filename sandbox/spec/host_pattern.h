// Allowed hosts as a policy writes them, and which addresses are private.
#ifndef CELLBLOCK_SANDBOX_SPEC_HOST_PATTERN_H_
#define CELLBLOCK_SANDBOX_SPEC_HOST_PATTERN_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cellblock {

// IPv4 addresses are those of ::ffff:0:0/96.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};
};

struct IpRange {
  IpAddress first;
  int prefix = 0;  // bits of 128

  bool Contains(const IpAddress& address) const;
  bool Contains(const IpRange& other) const;
};

// Both INVALID_ARGUMENT with what is wrong.
absl::StatusOr<IpAddress> ParseAddress(absl::string_view text);
absl::StatusOr<IpRange> ParseRange(absl::string_view text);  // "10.0.0.0/8", no bits beyond it

// Loopback, link-local, private and shared address space: nowhere on the Internet.
bool IsPrivate(const IpAddress& address);
bool IsPrivate(const IpRange& range);  // as a whole

struct HostPattern {
  std::string host;       // lower case, without "*."; an address without brackets
  bool wildcard = false;  // any name below host, not host itself
  bool address = false;
  uint16_t port = 0;

  bool Matches(absl::string_view name, uint16_t to_port) const;
  // Every host that `other` matches is matched by this too.
  bool Covers(const HostPattern& other) const;
  // Names that only a private network resolves: "localhost", "db", "x.internal".
  bool IsLocalName() const;
};

// "pypi.org:443", "*.example.com:443", "192.0.2.7:80", "[2001:db8::1]:443". INVALID_ARGUMENT with
// what is wrong.
absl::StatusOr<HostPattern> ParseHostPattern(absl::string_view text);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_HOST_PATTERN_H_
