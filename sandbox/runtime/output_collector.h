// Keeps the head and the tail of a cell's output and counts the rest, so that memory stays bounded
// whatever is printed. The head is passed on at once, or joined to few events a second when it
// comes in very many pieces; the tail is passed on when the cell has ended.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_OUTPUT_COLLECTOR_H_
#define CELLBLOCK_SANDBOX_RUNTIME_OUTPUT_COLLECTOR_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

class OutputCollector {
 public:
  OutputCollector(const OutputCaps& caps, absl::FunctionRef<void(CellEvent)> sink)
      : caps_(caps), sink_(sink), head_left_(caps.keep_head_bytes) {}

  void Add(Stream stream, absl::string_view data);
  // Emits what is held back to be joined. Before every other event, and when it is due.
  void Flush();
  // When Flush is due; nullopt: nothing is held back.
  std::optional<absl::Time> due() const;
  // Emits the gap and the tail of each stream.
  void Finish();

  int64_t bytes(Stream stream) const { return kept_[static_cast<int>(stream)].total; }
  // Bytes that no event holds; known after Finish.
  int64_t dropped() const { return dropped_; }
  // More than max_total_bytes were written.
  bool overflowed() const;

 private:
  struct Kept {
    int64_t total = 0;
    std::string joined;  // of the head, not yet emitted
    absl::Time last_emit = absl::InfinitePast();
    int64_t beyond_head = 0;
    std::string tail;
  };

  void AddToHead(Stream stream, absl::string_view data);
  void Emit(Stream stream);
  void EmitPieces(Stream stream, absl::string_view data);

  const OutputCaps caps_;
  const absl::FunctionRef<void(CellEvent)> sink_;
  int64_t head_left_;
  int64_t dropped_ = 0;
  std::array<Kept, 2> kept_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_OUTPUT_COLLECTOR_H_
