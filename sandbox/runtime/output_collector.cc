#include "sandbox/runtime/output_collector.h"

#include <algorithm>

#include "sandbox/base/clock.h"

namespace cellblock {
namespace {

constexpr size_t kMaxChunk = 256 * 1024;
constexpr absl::Duration kJoinTime = absl::Milliseconds(10);  // nobody sees the difference

}  // namespace

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
    AddToHead(stream, data.substr(0, head));
    data.remove_prefix(head);
  }
  if (data.empty()) return;
  kept.beyond_head += static_cast<int64_t>(data.size());
  kept.tail.append(data.data(), data.size());
  // Cut at twice the size, so that the cost of moving is spread.
  const auto limit = static_cast<size_t>(caps_.keep_tail_bytes);
  if (kept.tail.size() > 2 * limit) kept.tail.erase(0, kept.tail.size() - limit);
}

void OutputCollector::AddToHead(Stream stream, absl::string_view data) {
  Kept& kept = kept_[static_cast<int>(stream)];
  kept.joined.append(data.data(), data.size());
  if (kept.joined.size() >= kMaxChunk || SteadyNow() >= kept.last_emit + kJoinTime) Emit(stream);
}

void OutputCollector::Emit(Stream stream) {
  Kept& kept = kept_[static_cast<int>(stream)];
  if (kept.joined.empty()) return;
  kept.last_emit = SteadyNow();
  EmitPieces(stream, kept.joined);
  kept.joined.clear();
}

void OutputCollector::EmitPieces(Stream stream, absl::string_view data) {
  for (; !data.empty(); data.remove_prefix(std::min(data.size(), kMaxChunk))) {
    sink_(OutputChunk{stream, std::string(data.substr(0, kMaxChunk))});
  }
}

void OutputCollector::Flush() {
  Emit(Stream::kStdout);
  Emit(Stream::kStderr);
}

std::optional<absl::Time> OutputCollector::due() const {
  std::optional<absl::Time> due;
  for (const Kept& kept : kept_) {
    if (kept.joined.empty()) continue;
    const absl::Time time = kept.last_emit + kJoinTime;
    due = due.has_value() ? std::min(*due, time) : time;
  }
  return due;
}

void OutputCollector::Finish() {
  Flush();
  for (const Stream stream : {Stream::kStdout, Stream::kStderr}) {
    Kept& kept = kept_[static_cast<int>(stream)];
    if (kept.beyond_head == 0) continue;
    const auto limit = static_cast<size_t>(caps_.keep_tail_bytes);
    if (kept.tail.size() > limit) kept.tail.erase(0, kept.tail.size() - limit);
    const int64_t missing = kept.beyond_head - static_cast<int64_t>(kept.tail.size());
    if (missing > 0) sink_(OutputGap{stream, missing});
    dropped_ += missing;
    EmitPieces(stream, kept.tail);
    kept.tail.clear();
    kept.beyond_head = 0;
  }
}

bool OutputCollector::overflowed() const {
  return caps_.max_total_bytes > 0 && kept_[0].total + kept_[1].total > caps_.max_total_bytes;
}

}  // namespace cellblock
