#include "tools/cli/output/event_printer.h"

#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cellblock/v1/cell.pb.h"
#include "tools/cli/output/describe.h"
#include "tools/cli/output/hints.h"

namespace cellblock::cli {
namespace {

// Forms of a value that read well as text, the best first.
constexpr const char* kTextForms[] = {"text/plain", "text/markdown", "text/latex",
                                      "application/json", "text/html"};

std::string WithNewline(absl::string_view text) {
  return absl::EndsWith(text, "\n") ? std::string(text) : absl::StrCat(text, "\n");
}

}  // namespace

std::string JsonLine(const google::protobuf::Message& message) {
  std::string line;
  const auto status = google::protobuf::util::MessageToJsonString(message, &line);
  // Only a message with an Any of an unknown type fails, and there is none in the API.
  if (!status.ok()) return absl::StrCat("{\"jsonError\":\"", status.ToString(), "\"}\n");
  return line + "\n";
}

std::string JsonString(const std::string& bytes) {
  return nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void EventPrinter::BeginCell(const std::string& label, ShowValues values) {
  label_ = label;
  values_ = values;
  error_shown_ = false;
}

void EventPrinter::Show(const v1::ExecuteEvent& event) {
  switch (event.event_case()) {
    case v1::ExecuteEvent::kOutput:
      if (event.output().stream() == v1::STDERR) {
        screen_->Err(event.output().data());
      } else {
        screen_->Out(event.output().data());
      }
      break;
    case v1::ExecuteEvent::kGap:
      screen_->Say(absl::StrCat("cellblock: ", Bytes(event.gap().bytes()), " of ",
                                event.gap().stream() == v1::STDERR ? "stderr" : "stdout",
                                " left out here: more than is kept of one cell\n"));
      break;
    case v1::ExecuteEvent::kDisplay:
      ShowBundle(event.display().bundle());
      break;
    case v1::ExecuteEvent::kValue:
      if (values_ == ShowValues::kAlways) ShowBundle(event.value().bundle());
      break;
    case v1::ExecuteEvent::kError:
      ShowError(event.error());
      break;
    case v1::ExecuteEvent::kProgress:
      screen_->ShowStatus(DescribeProgress(event.progress()));
      break;
    case v1::ExecuteEvent::kResult:
      ShowResult(event.result());
      break;
    default:
      break;
  }
}

void EventPrinter::ShowBundle(const v1::MimeBundle& bundle) {
  const absl::StatusOr<std::string> saved = images_.Save(bundle);
  if (!saved.ok()) {
    screen_->Say(
        absl::StrCat("cellblock: cannot save an image: ", OneLine(saved.status().message()), "\n"));
    return;
  }
  if (!saved->empty()) {
    screen_->Say(absl::StrCat("saved ", OneLine(*saved), "\n"));
    return;
  }
  for (const char* form : kTextForms) {
    const auto found = bundle.data().find(form);
    if (found == bundle.data().end()) continue;
    screen_->Out(WithNewline(found->second));
    return;
  }
  const std::string omitted = absl::StrJoin(bundle.omitted(), ", ");
  if (!omitted.empty()) {
    screen_->Say(
        absl::StrCat("cellblock: a value is too large to show (", OneLine(omitted), ")\n"));
  }
}

void EventPrinter::ShowError(const v1::CellError& error) {
  error_shown_ = true;
  const std::string& text = screen_->settings().colour && !error.traceback_ansi().empty()
                                ? error.traceback_ansi()
                                : error.traceback();
  if (text.empty()) {
    screen_->Say(absl::StrCat(OneLine(error.name()), ": ", OneLine(error.value()), "\n"));
  } else {
    screen_->Err(WithNewline(text));
  }
  const std::string hint = StagingHint(MissingPath(error.name(), error.value()));
  if (!hint.empty()) screen_->Say(absl::StrCat("hint: ", hint, "\n"));
}

void EventPrinter::ShowResult(const v1::CellResult& result) {
  screen_->EndCell();
  if (result.has_error() && !error_shown_) ShowError(result.error());
  for (const std::string& line : DescribeDenials(result)) screen_->Say(line + "\n");
  const bool good =
      result.outcome() == v1::OK || (result.outcome() == v1::EXITED && result.exit_status() == 0 &&
                                     result.state() == v1::PRESERVED);
  const std::string end = good ? "" : DescribeEnd(result);
  if (!end.empty()) screen_->Say(absl::StrCat("cellblock: ", label_, ": ", end, "\n"));
  screen_->EndCell();
}

}  // namespace cellblock::cli
