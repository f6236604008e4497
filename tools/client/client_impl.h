// Shared by the .cc files of SandboxClient, never included elsewhere.
#ifndef CELLBLOCK_TOOLS_CLIENT_CLIENT_IMPL_H_
#define CELLBLOCK_TOOLS_CLIENT_CLIENT_IMPL_H_

#include <grpcpp/grpcpp.h>

#include <memory>

#include "absl/time/clock.h"
#include "cellblock/v1/runtime.grpc.pb.h"
#include "tools/client/sandbox_client.h"
#include "tools/client/server_error.h"

namespace cellblock {

constexpr absl::Duration kShortCall = absl::Seconds(30);
constexpr absl::Duration kLongCall = absl::Minutes(2);
constexpr absl::Duration kTransfer = absl::Hours(1);

struct SandboxClient::Impl {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::Runtime::Stub> stub;
  RetryPolicy retry;

  // Calls `attempt` until it succeeds or must not be repeated.
  template <typename Attempt>
  absl::Status Repeat(Repeatable repeatable, Attempt attempt) const {
    Backoff backoff(retry);
    while (true) {
      const absl::Status status = attempt();
      if (status.ok()) return status;
      const auto delay = backoff.Next(status, repeatable);
      if (!delay.has_value()) return status;
      absl::SleepFor(*delay);
    }
  }

  template <typename Method, typename Request, typename Reply>
  absl::Status Call(Method method, const Request& request, Reply* reply, Repeatable repeatable,
                    absl::Duration deadline = kShortCall) const {
    return Repeat(repeatable, [&] {
      grpc::ClientContext context;
      context.set_deadline(absl::ToChronoTime(absl::Now() + deadline));
      reply->Clear();
      return FromGrpcStatus((stub.get()->*method)(&context, request, reply));
    });
  }
};

}  // namespace cellblock

#endif  // CELLBLOCK_TOOLS_CLIENT_CLIENT_IMPL_H_
