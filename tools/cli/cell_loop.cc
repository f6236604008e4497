#include "tools/cli/cell_loop.h"

#include <google/protobuf/duration.pb.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "tools/cli/connection.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/input/ask.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/session_flags.h"
#include "tools/client/random_id.h"

namespace cellblock::cli {
namespace {

CellEnd EndOf(const v1::CellResult& result) {
  if (result.outcome() == v1::OK) return CellEnd::kOk;
  if (result.outcome() == v1::EXITED && result.exit_status() == 0) return CellEnd::kExited;
  return CellEnd::kFailed;
}

}  // namespace

CellLoop::CellLoop(SandboxClient* client, std::string session_id, CellOptions options,
                   Interrupts* interrupts, Screen* screen)
    : client_(client),
      session_id_(std::move(session_id)),
      options_(std::move(options)),
      interrupts_(interrupts),
      screen_(screen),
      printer_(screen, options_.image_folder) {}

ShowValues CellLoop::ValuesOf(const Cell& cell) const {
  const bool automatic = cell.from_notebook || screen_->settings().out_is_terminal;
  const bool shown =
      options_.values == Values::kAlways || (options_.values == Values::kAuto && automatic);
  return shown ? ShowValues::kAlways : ShowValues::kNever;
}

absl::StatusOr<CellEnd> CellLoop::Run(const Cell& cell) {
  v1::ExecuteRequest request;
  request.set_session_id(session_id_);
  request.set_execution_id(MakeClientId());
  request.set_code(cell.code);
  request.set_name(cell.name);
  request.set_offer_input(options_.input == Input::kFromHere);
  if (options_.remote) request.set_on_disconnect(v1::KEEP_RUNNING);
  if (options_.timeout > absl::ZeroDuration()) {
    ToProto(options_.timeout, request.mutable_timeout());
  }
  printer_.BeginCell(OneLine(cell.name), ValuesOf(cell));
  interrupts_->Watch(client_, session_id_, request.execution_id());
  v1::CellResult result;
  const absl::Status status = client_->Execute(
      request,
      [&](const v1::ExecuteEvent& event) { return OnEvent(event, request.execution_id()); },
      &result);
  interrupts_->Unwatch();
  screen_->EndCell();
  if (!screen_->status().ok()) return screen_->status();
  if (!status.ok()) return status;
  for (const v1::Artifact& artifact : result.artifacts()) artifacts_.insert(artifact.path());
  for (const std::string& removed : result.removed_files()) artifacts_.erase(removed);
  return EndOf(result);
}

bool CellLoop::OnEvent(const v1::ExecuteEvent& event, const std::string& execution_id) {
  if (options_.format == Format::kJson) {
    screen_->Print(JsonLine(event));
  } else {
    printer_.Show(event);
  }
  if (event.has_input_request()) AnswerInput(event.input_request(), execution_id);
  return printer_.can_write();
}

void CellLoop::AnswerInput(const v1::InputRequest& request, const std::string& execution_id) {
  if (options_.format == Format::kText) screen_->Prompt(request.prompt());
  const auto answer = AskLine(interrupts_->wake_fd(), request.password() ? Echo::kOff : Echo::kOn);
  if (!answer.has_value()) return;  // a signal has gone to the cell instead
  screen_->LineEnded();
  // The cell may have ended meanwhile, by its time limit say; its result tells.
  client_->ProvideInput(session_id_, execution_id, answer->text, answer->end_of_file).IgnoreError();
}

int CellLoop::RunAll(const std::vector<Cell>& cells) {
  int exit_status = kExitOk;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (interrupts_->interrupted() || interrupts_->terminated()) return kExitUserCode;
    const absl::StatusOr<CellEnd> end = Run(cells[i]);
    if (!end.ok()) return std::max<int>(Fail(end.status()), exit_status);
    if (*end == CellEnd::kExited) return exit_status;
    if (*end == CellEnd::kOk) continue;
    exit_status = kExitUserCode;
    const size_t left = cells.size() - i - 1;
    if (options_.on_failure == OnFailure::kGoOn || left == 0) continue;
    screen_->Say(absl::StrCat("cellblock: stopped; ", left, left == 1 ? " cell was" : " cells were",
                              " not run (--keep-going runs them all the same)\n"));
    break;
  }
  return exit_status;
}

}  // namespace cellblock::cli
