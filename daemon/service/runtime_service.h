// The gRPC face of the Runtime service: an adapter over calls.h, and nothing else. Called by gRPC's
// threads.
#ifndef CELLBLOCK_DAEMON_SERVICE_RUNTIME_SERVICE_H_
#define CELLBLOCK_DAEMON_SERVICE_RUNTIME_SERVICE_H_

#include <memory>

#include "daemon/service/calls.h"

namespace grpc {
class Service;
}

namespace cellblock {

// All three must outlive the service.
std::unique_ptr<grpc::Service> MakeRuntimeService(SessionRegistry* registry,
                                                  const PolicyCatalog* policies,
                                                  const ServerFacts* facts);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_RUNTIME_SERVICE_H_
