// The project's own programs, and the proof of the pudding.
#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/clock.h"
#include "tools/cli/connection.h"
#include "tools/cli/doctor/probe.h"
#include "tools/cli/output/describe.h"
#include "tools/client/locate.h"
#include "tools/client/random_id.h"

namespace cellblock::cli {
namespace {

absl::Status RunOnePlusOne(std::string* detail) {
  const absl::Time start = SteadyNow();
  absl::StatusOr<Connection> connection = OpenConnection("", "");
  if (!connection.ok()) return connection.status();
  v1::Session session;
  absl::Status status = connection->client->CreateSession(v1::CreateSessionRequest(), &session);
  if (!status.ok()) return status;
  v1::ExecuteRequest request;
  request.set_session_id(session.id());
  request.set_execution_id(MakeClientId());
  request.set_code("1+1");
  std::string value;
  v1::CellResult result;
  status = connection->client->Execute(
      request,
      [&](const v1::ExecuteEvent& event) {
        const auto& forms = event.value().bundle().data();
        const auto found = forms.find("text/plain");
        if (found != forms.end()) value = found->second;
        return true;
      },
      &result);
  if (!status.ok()) return status;
  if (result.outcome() != v1::OK) return absl::InternalError(DescribeEnd(result));
  if (value != "2") return absl::InternalError("1+1 did not give 2");
  *detail = absl::StrCat("works, in ", absl::ToInt64Milliseconds(SteadyNow() - start), " ms");
  return absl::OkStatus();
}

}  // namespace

void ProbePrograms(Findings* findings) {
  for (const char* name : {"cellblockd", "cellblock-launcher", "cellblock-init"}) {
    const auto path = FindProgram(name);
    findings->push_back({name, path.ok() ? Level::kOk : Level::kMissing,
                         path.ok() ? *path : "not found",
                         path.ok() ? "" : std::string(path.status().message())});
  }
}

void ProbeRun(Findings* findings) {
  std::string detail;
  const absl::Status status = RunOnePlusOne(&detail);
  findings->push_back({"run 1+1", status.ok() ? Level::kOk : Level::kMissing,
                       status.ok() ? detail : DescribeError(status),
                       status.ok() ? ""
                       : AllRequiredPresent(*findings)
                           ? "see the message; the daemon's log is in the folder embedded-0 of "
                             "$CELLBLOCK_CACHE_DIR, /var/cache/cellblock or ~/.cache/cellblock"
                           : "mend what is missing above"});
}

}  // namespace cellblock::cli
