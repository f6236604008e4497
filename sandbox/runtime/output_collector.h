// Keeps the head and the tail of a cell's output and counts the rest, so that memory stays bounded
// whatever is printed. The head is passed on at once; the tail when the cell has ended.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_OUTPUT_COLLECTOR_H_
#define CELLBLOCK_SANDBOX_RUNTIME_OUTPUT_COLLECTOR_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

class OutputCollector {
 public:
  OutputCollector(const OutputCaps& caps, absl::FunctionRef<void(CellEvent)> sink)
      : caps_(caps), sink_(sink), head_left_(caps.keep_head_bytes) {}

  void Add(Stream stream, absl::string_view data);
  // Emits the gap and the tail of each stream.
  void Finish();

  int64_t bytes(Stream stream) const { return kept_[static_cast<int>(stream)].total; }
  // More than max_total_bytes were written.
  bool overflowed() const;

 private:
  struct Kept {
    int64_t total = 0;
    int64_t beyond_head = 0;
    std::string tail;
  };

  const OutputCaps caps_;
  const absl::FunctionRef<void(CellEvent)> sink_;
  int64_t head_left_;
  std::array<Kept, 2> kept_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_OUTPUT_COLLECTOR_H_
