// The inside of CellControl, for the thread that runs the cell.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_CELL_CONTROL_H_
#define CELLBLOCK_SANDBOX_RUNTIME_CELL_CONTROL_H_

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "sandbox/base/unique_fd.h"
#include "sandbox/runtime/worker.h"

namespace cellblock {

struct CellControl::State {
  UniqueFd wake;  // eventfd
  std::mutex mutex;
  bool interrupt = false;
  bool kill = false;
  std::optional<absl::Duration> cancel_grace;
  bool waiting_for_input = false;
  struct Input {
    std::string text;
    bool end_of_file;
  };
  std::deque<Input> inputs;

  void Wake() const;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_CELL_CONTROL_H_
