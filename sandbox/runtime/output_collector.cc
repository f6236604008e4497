#include "sandbox/runtime/output_collector.h"

#include <algorithm>

namespace cellblock {

void OutputCollector::Add(Stream stream, absl::string_view data) {
  Kept& kept = kept_[static_cast<int>(stream)];
  kept.total += static_cast<int64_t>(data.size());
  // Once a stream has a tail, later bytes of it must stay behind that tail.
  const size_t head =
      kept.beyond_head > 0
          ? 0
          : static_cast<size_t>(std::min<int64_t>(head_left_, static_cast<int64_t>(data.size())));
  if (head > 0) {
    head_left_ -= static_cast<int64_t>(head);
    sink_(OutputChunk{stream, std::string(data.substr(0, head))});
    data.remove_prefix(head);
  }
  if (data.empty()) return;
  kept.beyond_head += static_cast<int64_t>(data.size());
  kept.tail.append(data.data(), data.size());
  // Cut at twice the size, so that the cost of moving is spread.
  const auto limit = static_cast<size_t>(caps_.keep_tail_bytes);
  if (kept.tail.size() > 2 * limit) kept.tail.erase(0, kept.tail.size() - limit);
}

void OutputCollector::Finish() {
  for (const Stream stream : {Stream::kStdout, Stream::kStderr}) {
    Kept& kept = kept_[static_cast<int>(stream)];
    if (kept.beyond_head == 0) continue;
    const auto limit = static_cast<size_t>(caps_.keep_tail_bytes);
    if (kept.tail.size() > limit) kept.tail.erase(0, kept.tail.size() - limit);
    const int64_t missing = kept.beyond_head - static_cast<int64_t>(kept.tail.size());
    if (missing > 0) sink_(OutputGap{stream, missing});
    sink_(OutputChunk{stream, std::move(kept.tail)});
    kept.tail.clear();
    kept.beyond_head = 0;
  }
}

bool OutputCollector::overflowed() const {
  return caps_.max_total_bytes > 0 && kept_[0].total + kept_[1].total > caps_.max_total_bytes;
}

}  // namespace cellblock
