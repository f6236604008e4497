// Bytes per second: output while a cell runs, files up and down.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"
#include "tests/bench/measurements.h"
#include "tests/bench/series.h"

namespace cellblock::bench {
namespace {

// What the default policy passes on whole; a flood beyond it is cut in the middle.
constexpr int kWholeOutputMebibytes = 16;

double Rate(int64_t bytes, absl::Time began) {
  return static_cast<double>(bytes) / 1e6 / absl::ToDoubleSeconds(absl::Now() - began);
}

std::string Writer(int mebibytes) {
  return absl::StrCat("import os\nblock = b'x' * 65535 + b'\\n'\nfor i in range(", mebibytes * 16,
                      "): os.write(1, block)\n");
}

absl::Status TimeOutput(SandboxClient* client, const std::string& session, int mebibytes,
                        bool whole, Series* series) {
  int64_t arrived = 0;
  const absl::Time began = absl::Now();
  CELLBLOCK_RETURN_IF_ERROR(
      RunCell(client, session, Writer(mebibytes), [&](const v1::ExecuteEvent& event) {
        arrived += static_cast<int64_t>(event.output().data().size());
        return true;
      }));
  const int64_t written = int64_t{mebibytes} << 20;
  series->Add(Rate(written, began));
  if (whole && arrived != written) {
    return absl::InternalError(absl::StrCat(arrived, " of ", written, " bytes arrived"));
  }
  return absl::OkStatus();
}

absl::Status TimeFiles(SandboxClient* client, const std::string& session, int mebibytes, Series* up,
                       Series* down) {
  const int64_t size = int64_t{mebibytes} << 20;
  const UniqueFd file(memfd_create("bench", MFD_CLOEXEC));
  if (!file.valid()) return ErrnoStatus("memfd_create", "bench", errno);
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < mebibytes; ++i) CELLBLOCK_RETURN_IF_ERROR(WriteAll(file.get(), block));
  if (lseek(file.get(), 0, SEEK_SET) != 0) return ErrnoStatus("lseek", "bench", errno);
  v1::FileInfo info;
  absl::Time began = absl::Now();
  CELLBLOCK_RETURN_IF_ERROR(client->UploadFile(session, "bench", 0644, file.get(), &info));
  up->Add(Rate(size, began));
  if (lseek(file.get(), 0, SEEK_SET) != 0) return ErrnoStatus("lseek", "bench", errno);
  began = absl::Now();
  CELLBLOCK_RETURN_IF_ERROR(client->DownloadFile(session, "bench", file.get(), &info));
  down->Add(Rate(size, began));
  return client->RemoveFile(session, "bench", /*recursive=*/false);
}

}  // namespace

absl::StatusOr<Json> MeasureTransfer(SandboxClient* client, int rounds, int mebibytes) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string session, MakeSession(client));
  Series whole, flood, up, down;
  for (int round = 0; round < rounds; ++round) {
    CELLBLOCK_RETURN_IF_ERROR(TimeOutput(
        client, session, std::min(mebibytes, kWholeOutputMebibytes), /*whole=*/true, &whole));
    CELLBLOCK_RETURN_IF_ERROR(TimeOutput(client, session, mebibytes * 4, /*whole=*/false, &flood));
    CELLBLOCK_RETURN_IF_ERROR(TimeFiles(client, session, mebibytes, &up, &down));
  }
  v1::WipeReceipt receipt;
  CELLBLOCK_RETURN_IF_ERROR(client->DeleteSession(session, &receipt));
  Json json;
  json["stdout"] = whole.ToJson();
  json["stdout_flood"] = flood.ToJson();
  json["upload"] = up.ToJson();
  json["download"] = down.ToJson();
  return json;
}

}  // namespace cellblock::bench
