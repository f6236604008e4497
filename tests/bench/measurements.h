// The measurements. Each takes ours and its peer's values in turn, one round after the other, so
// that both see the same machine.
#ifndef CELLBLOCK_TESTS_BENCH_MEASUREMENTS_H_
#define CELLBLOCK_TESTS_BENCH_MEASUREMENTS_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/client/sandbox_client.h"

namespace cellblock::bench {

using Json = nlohmann::ordered_json;

// A session with the default image and policy.
absl::StatusOr<std::string> MakeSession(SandboxClient* client);
// One cell that must end as OK.
absl::Status RunCell(
    SandboxClient* client, const std::string& session, const std::string& code,
    const SandboxClient::EventSink& sink = [](const auto&) { return true; });

// Milliseconds from CreateSession to the first result of 1+1, beside bubblewrap with a Python that
// imports the same modules and prints 1+1.
absl::StatusOr<Json> MeasureColdSession(SandboxClient* client, int rounds);

// Microseconds of 1+1 in a session that is there, beside a bare ipykernel driven by jupyter_client.
absl::StatusOr<Json> MeasureWarmCell(SandboxClient* client, int rounds, int cells_per_round);

// MB/s of a cell's standard output, and of files both ways.
absl::StatusOr<Json> MeasureTransfer(SandboxClient* client, int rounds, int mebibytes);

}  // namespace cellblock::bench

#endif  // CELLBLOCK_TESTS_BENCH_MEASUREMENTS_H_
