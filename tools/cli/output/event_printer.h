// Shows the events of an execution to a person, or hands them on as JSON lines. One thread.
#ifndef CELLBLOCK_TOOLS_CLI_OUTPUT_EVENT_PRINTER_H_
#define CELLBLOCK_TOOLS_CLI_OUTPUT_EVENT_PRINTER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "tools/cli/output/image_saver.h"
#include "tools/cli/output/screen.h"

namespace google::protobuf {
class Message;
}
namespace cellblock::v1 {
class CellError;
class CellResult;
class ExecuteEvent;
class MimeBundle;
}  // namespace cellblock::v1

namespace cellblock::cli {

enum class ShowValues { kNever, kAlways };

// One message in proto3 JSON on one line.
std::string JsonLine(const google::protobuf::Message& message);

// A quoted JSON string of bytes that may be no text: what is not UTF-8 becomes U+FFFD.
std::string JsonString(const std::string& bytes);

class EventPrinter {
 public:
  EventPrinter(Screen* screen, const std::string& image_folder)
      : screen_(screen), images_(image_folder) {}

  // Where the next cell's messages say they come from, e.g. "cell 2 of report.py".
  void BeginCell(const std::string& label, ShowValues values);
  void Show(const v1::ExecuteEvent& event);
  // False once nothing more can be written.
  bool can_write() const { return screen_->status().ok(); }

 private:
  void ShowBundle(const v1::MimeBundle& bundle);
  void ShowError(const v1::CellError& error);
  void ShowResult(const v1::CellResult& result);

  Screen* const screen_;
  ImageSaver images_;
  std::string label_;
  ShowValues values_ = ShowValues::kNever;
  bool error_shown_ = false;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_OUTPUT_EVENT_PRINTER_H_
