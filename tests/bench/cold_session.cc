// A session that shares nothing with an earlier one: namespaces, mounts, init, interpreter,
// IPython.
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/status.h"
#include "tests/bench/measurements.h"
#include "tests/bench/peer.h"
#include "tests/bench/series.h"
#include "tools/client/random_id.h"

namespace cellblock::bench {
namespace {

// What the worker imports before it says that it is ready.
constexpr char kImports[] =
    "import sys; sys.path.insert(0, '/opt/cellblock/worker')\n"
    "from cellblock_worker import main, display, figures, input_hook, run_cell, shell, sources, "
    "trace\n"
    "print(1+1)\n";

absl::StatusOr<double> TimeOurs(SandboxClient* client) {
  const absl::Time began = absl::Now();
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string session, MakeSession(client));
  CELLBLOCK_RETURN_IF_ERROR(RunCell(client, session, "1+1"));
  const absl::Duration took = absl::Now() - began;
  v1::WipeReceipt receipt;
  CELLBLOCK_RETURN_IF_ERROR(client->DeleteSession(session, &receipt));
  return absl::ToDoubleMilliseconds(took);
}

absl::StatusOr<double> TimeBubblewrap() {
  const absl::Time began = absl::Now();
  CELLBLOCK_ASSIGN_OR_RETURN(auto peer, Peer::Start({"bwrap",
                                                     "--unshare-all",
                                                     "--die-with-parent",
                                                     "--new-session",
                                                     "--uid",
                                                     "1000",
                                                     "--gid",
                                                     "1000",
                                                     "--ro-bind",
                                                     "/usr",
                                                     "/usr",
                                                     "--symlink",
                                                     "usr/lib",
                                                     "/lib",
                                                     "--symlink",
                                                     "usr/lib64",
                                                     "/lib64",
                                                     "--symlink",
                                                     "usr/bin",
                                                     "/bin",
                                                     "--ro-bind",
                                                     "/etc",
                                                     "/etc",
                                                     "--proc",
                                                     "/proc",
                                                     "--dev",
                                                     "/dev",
                                                     "--tmpfs",
                                                     "/tmp",
                                                     "--tmpfs",
                                                     "/home/cell",
                                                     "--dir",
                                                     "/work",
                                                     "--ro-bind",
                                                     CELLBLOCK_WORKER_DIR,
                                                     "/opt/cellblock/worker",
                                                     "--chdir",
                                                     "/work",
                                                     "--clearenv",
                                                     "--setenv",
                                                     "HOME",
                                                     "/home/cell",
                                                     "--setenv",
                                                     "LANG",
                                                     "C.UTF-8",
                                                     "/usr/bin/python3",
                                                     "-s",
                                                     "-B",
                                                     "-c",
                                                     kImports}));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string line, peer->ReadLine());
  const absl::Duration took = absl::Now() - began;
  if (line != "2") return absl::InternalError(absl::StrCat("bwrap answered: ", line));
  return absl::ToDoubleMilliseconds(took);
}

}  // namespace

absl::StatusOr<std::string> MakeSession(SandboxClient* client) {
  v1::Session session;
  CELLBLOCK_RETURN_IF_ERROR(client->CreateSession(v1::CreateSessionRequest(), &session));
  return session.id();
}

absl::Status RunCell(SandboxClient* client, const std::string& session, const std::string& code,
                     const SandboxClient::EventSink& sink) {
  v1::ExecuteRequest request;
  request.set_session_id(session);
  request.set_execution_id(MakeClientId());
  request.set_code(code);
  v1::CellResult result;
  CELLBLOCK_RETURN_IF_ERROR(client->Execute(request, sink, &result));
  if (result.outcome() == v1::OK) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("a cell ended as ", v1::Outcome_Name(result.outcome())));
}

absl::StatusOr<Json> MeasureColdSession(SandboxClient* client, int rounds) {
  Series ours, bubblewrap;
  // The first round finds cold caches and is not counted.
  for (int round = 0; round <= rounds; ++round) {
    CELLBLOCK_ASSIGN_OR_RETURN(const double own, TimeOurs(client));
    CELLBLOCK_ASSIGN_OR_RETURN(const double other, TimeBubblewrap());
    if (round == 0) continue;
    ours.Add(own);
    bubblewrap.Add(other);
  }
  return SideBySide(ours, "bwrap_python", bubblewrap);
}

}  // namespace cellblock::bench
