// cellblock-bench: measures over an embedded daemon, or --server's, and writes one JSON object.
// Exit status 0 if everything could be measured, 3 if not. Numbers of a busy machine are noise: it
// says the load it found.
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tests/bench/measurements.h"
#include "tools/client/embedded_server.h"

namespace cellblock::bench {
namespace {

struct Flags {
  std::string server;
  int cold_rounds = 15;
  int warm_rounds = 10;
  int cells = 100;
  int transfer_rounds = 5;
  int mebibytes = 64;
};

std::string ProcessorName() {
  const auto text = ReadFile("/proc/cpuinfo");
  if (!text.ok()) return "";
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (absl::StartsWith(line, "model name")) {
      return std::string(absl::StripAsciiWhitespace(line.substr(line.find(':') + 1)));
    }
  }
  return "";
}

Json Machine() {
  utsname name = {};
  uname(&name);
  double load = 0;
  getloadavg(&load, 1);
  return {{"processor", ProcessorName()},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"kernel", name.release},
          {"load_at_start", load},
          {"date", absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone())}};
}

absl::StatusOr<Json> Measure(const Flags& flags) {
  std::unique_ptr<EmbeddedServer> embedded;
  std::string address = flags.server;
  Json json;
  json["machine"] = Machine();
  if (address.empty()) {
    CELLBLOCK_ASSIGN_OR_RETURN(embedded, EmbeddedServer::Start(EmbeddedOptions()));
    address = embedded->address();
  }
  CELLBLOCK_ASSIGN_OR_RETURN(auto client, SandboxClient::Connect(address, ClientOptions()));
  CELLBLOCK_ASSIGN_OR_RETURN(json["cold_session_ms"],
                             MeasureColdSession(client.get(), flags.cold_rounds));
  CELLBLOCK_ASSIGN_OR_RETURN(json["warm_cell_us"],
                             MeasureWarmCell(client.get(), flags.warm_rounds, flags.cells));
  CELLBLOCK_ASSIGN_OR_RETURN(json["transfer_mb_per_s"],
                             MeasureTransfer(client.get(), flags.transfer_rounds, flags.mebibytes));
  return json;
}

}  // namespace
}  // namespace cellblock::bench

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  cellblock::bench::Flags flags;
  CLI::App app("Measures sessions, cells and transfers; writes JSON.");
  app.add_option("--server", flags.server, "Daemon to measure; else one of its own");
  app.add_option("--cold-rounds", flags.cold_rounds, "Sessions made")->capture_default_str();
  app.add_option("--warm-rounds", flags.warm_rounds, "Batches of cells")->capture_default_str();
  app.add_option("--cells", flags.cells, "Cells of a batch")->capture_default_str();
  app.add_option("--transfer-rounds", flags.transfer_rounds, "Transfers")->capture_default_str();
  app.add_option("--mebibytes", flags.mebibytes, "Size of a file")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto json = cellblock::bench::Measure(flags);
  if (!json.ok()) {
    fprintf(stderr, "cellblock-bench: %s\n", json.status().ToString().c_str());
    return 3;
  }
  printf("%s\n", json->dump(2).c_str());
  return 0;
}
