// Runs cells one after another in a session and shows what they do; used by run, session exec and
// repl.
#ifndef CELLBLOCK_TOOLS_CLI_CELL_LOOP_H_
#define CELLBLOCK_TOOLS_CLI_CELL_LOOP_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/cli/input/cells.h"
#include "tools/cli/interrupts.h"
#include "tools/cli/output/event_printer.h"
#include "tools/cli/output/screen.h"
#include "tools/client/sandbox_client.h"

namespace CLI {
class App;
}
namespace cellblock::v1 {
class ExecuteEvent;
class InputRequest;
}  // namespace cellblock::v1

namespace cellblock::cli {

// --timeout, --keep-going, --json, --values, --output-dir, --input
struct CellFlags {
  std::string timeout, values = "auto", image_folder = "cellblock-out";
  bool keep_going = false, json = false, offer_input = false;
};
void AddCellFlags(CLI::App* app, CellFlags* flags);

enum class OnFailure { kStop, kGoOn };
enum class Format { kText, kJson };
enum class Values { kAuto, kAlways, kNever };
enum class Input { kNone, kFromHere };

struct CellOptions {
  absl::Duration timeout;  // zero: the policy's
  OnFailure on_failure = OnFailure::kStop;
  Format format = Format::kText;
  Values values = Values::kAuto;
  Input input = Input::kNone;
  std::string image_folder;
  bool remote = false;
};
absl::StatusOr<CellOptions> ReadCellFlags(const CellFlags& flags);

enum class CellEnd { kOk, kFailed, kExited };  // kExited: by sys.exit(0) or os._exit(0)

class CellLoop {
 public:
  CellLoop(SandboxClient* client, std::string session_id, CellOptions options,
           Interrupts* interrupts, Screen* screen);

  // Prints what happens. An error is the machinery's.
  absl::StatusOr<CellEnd> Run(const Cell& cell);
  // All of them, in order; gives the exit status.
  int RunAll(const std::vector<Cell>& cells);
  // Names of files that the cells made and did not remove again.
  const std::set<std::string>& artifacts() const { return artifacts_; }

 private:
  bool OnEvent(const v1::ExecuteEvent& event, const std::string& execution_id);
  void AnswerInput(const v1::InputRequest& request, const std::string& execution_id);
  ShowValues ValuesOf(const Cell& cell) const;

  SandboxClient* const client_;
  const std::string session_id_;
  const CellOptions options_;
  Interrupts* const interrupts_;
  Screen* const screen_;
  EventPrinter printer_;
  std::set<std::string> artifacts_;
};

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_CELL_LOOP_H_
