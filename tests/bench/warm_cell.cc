// The smallest cell in a session that is there, over the unix socket.
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/status.h"
#include "tests/bench/measurements.h"
#include "tests/bench/peer.h"
#include "tests/bench/series.h"

namespace cellblock::bench {
namespace {

// The kernel times its own round trips: a Python client is how it is used.
absl::Status TimeKernel(Peer* kernel, int cells, Series* series) {
  CELLBLOCK_RETURN_IF_ERROR(kernel->WriteLine(absl::StrCat(cells)));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string line, kernel->ReadLine());
  const Json times = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!times.is_array()) return absl::InternalError(absl::StrCat("ipykernel answered: ", line));
  for (const Json& time : times) series->Add(time.get<double>());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Json> MeasureWarmCell(SandboxClient* client, int rounds, int cells_per_round) {
  CELLBLOCK_ASSIGN_OR_RETURN(auto kernel,
                             Peer::Start({"/usr/bin/python3", "-s", "-B",
                                          CELLBLOCK_BENCH_DIR "/ipykernel_round_trips.py"}));
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string session, MakeSession(client));
  Series ours, ipykernel, warm_up;
  // The first round finds cold caches and is not counted.
  for (int round = 0; round <= rounds; ++round) {
    for (int cell = 0; cell < cells_per_round; ++cell) {
      const absl::Time began = absl::Now();
      CELLBLOCK_RETURN_IF_ERROR(RunCell(client, session, "1+1"));
      (round == 0 ? warm_up : ours).Add(absl::ToDoubleMicroseconds(absl::Now() - began));
    }
    CELLBLOCK_RETURN_IF_ERROR(
        TimeKernel(kernel.get(), cells_per_round, round == 0 ? &warm_up : &ipykernel));
  }
  v1::WipeReceipt receipt;
  CELLBLOCK_RETURN_IF_ERROR(client->DeleteSession(session, &receipt));
  return SideBySide(ours, "ipykernel", ipykernel);
}

}  // namespace cellblock::bench
