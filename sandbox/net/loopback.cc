#include "sandbox/net/loopback.h"

#include <linux/if.h>
#include <netlink/msg.h>
#include <netlink/route/link.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

constexpr int kLoopbackIndex = 1;  // always the first interface of a network namespace

}  // namespace

absl::StatusOr<std::string> BuildLoopbackUpRequest() {
  const std::unique_ptr<rtnl_link, decltype(&rtnl_link_put)> now(rtnl_link_alloc(), rtnl_link_put);
  const std::unique_ptr<rtnl_link, decltype(&rtnl_link_put)> wanted(rtnl_link_alloc(),
                                                                    rtnl_link_put);
  if (now == nullptr || wanted == nullptr) return absl::ResourceExhaustedError("rtnl_link_alloc");
  rtnl_link_set_ifindex(now.get(), kLoopbackIndex);
  rtnl_link_set_flags(wanted.get(), IFF_UP);
  nl_msg* raw = nullptr;
  const int error = rtnl_link_build_change_request(now.get(), wanted.get(), 0, &raw);
  if (error < 0) {
    return absl::InternalError(absl::StrCat("build link request for lo: ", nl_geterror(error)));
  }
  const std::unique_ptr<nl_msg, decltype(&nlmsg_free)> message(raw, nlmsg_free);
  nlmsghdr* header = nlmsg_hdr(message.get());
  header->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
  header->nlmsg_seq = 1;
  return std::string(reinterpret_cast<const char*>(header), header->nlmsg_len);
}

}  // namespace cellblock
