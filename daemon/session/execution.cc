#include "daemon/session/execution.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cellblock {
namespace {

constexpr int64_t kEventOverhead = 160;

int64_t SizeOf(const MimeBundle& bundle) {
  int64_t size = static_cast<int64_t>(bundle.metadata_json.size());
  for (const auto& [type, data] : bundle.data)
    size += static_cast<int64_t>(type.size() + data.size());
  return size;
}

int64_t SizeOf(const CellError& error) {
  int64_t size = static_cast<int64_t>(error.name.size() + error.value.size() +
                                      error.traceback.size() + error.traceback_ansi.size());
  for (const TraceFrame& frame : error.frames) {
    size += static_cast<int64_t>(frame.file.size() + frame.function.size() + frame.source.size());
  }
  return size;
}

int64_t SizeOf(const CellEvent& event) {
  if (const auto* chunk = std::get_if<OutputChunk>(&event)) return chunk->data.size();
  if (const auto* display = std::get_if<DisplayData>(&event)) return SizeOf(display->bundle);
  if (const auto* value = std::get_if<ExecuteResult>(&event)) return SizeOf(value->bundle);
  if (const auto* error = std::get_if<CellError>(&event)) return SizeOf(*error);
  if (const auto* input = std::get_if<InputRequest>(&event)) return input->prompt.size();
  return 0;
}

int64_t SizeOf(const CellResult& result) {
  int64_t size = static_cast<int64_t>(result.message.size());
  if (result.error.has_value()) size += SizeOf(*result.error);
  for (const Artifact& artifact : result.artifacts) size += artifact.path.size() + 64;
  for (const std::string& path : result.removed_files) size += path.size();
  for (const auto& [name, value] : result.user_expressions) {
    size += static_cast<int64_t>(name.size());
    if (value.value.has_value()) size += SizeOf(*value.value);
    if (value.error.has_value()) size += SizeOf(*value.error);
  }
  return size;
}

std::chrono::nanoseconds ToChrono(absl::Duration duration) {
  return absl::ToChronoNanoseconds(std::max(duration, absl::ZeroDuration()));
}

}  // namespace

Execution::Execution(Options options, std::shared_ptr<RunnableCell> cell, Clock clock)
    : options_(std::move(options)), clock_(std::move(clock)), cell_(std::move(cell)) {}

void Execution::Append(int64_t incarnation, CellEvent event) {
  const int64_t bytes = SizeOf(event);
  Push(incarnation, std::move(event), bytes);
}

void Execution::Finish(int64_t incarnation, CellResult result) {
  const int64_t bytes = SizeOf(result);
  Push(incarnation, std::move(result), bytes);
}

void Execution::Push(int64_t incarnation, std::variant<CellEvent, CellResult> body, int64_t bytes) {
  auto event = std::make_shared<LoggedEvent>();
  event->incarnation = incarnation;
  event->time = clock_();
  event->body = std::move(body);
  std::shared_ptr<RunnableCell> finished;  // destroyed outside the lock
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    event->sequence = static_cast<int64_t>(events_.size()) + 1;
    if (const auto* result = std::get_if<CellResult>(&event->body)) {
      result_ = std::shared_ptr<const CellResult>(event, result);
      finished = std::move(cell_);
    }
    bytes_ += bytes + kEventOverhead;
    events_.push_back(std::move(event));
  }
  changed_.notify_all();
}

std::shared_ptr<RunnableCell> Execution::cell() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return cell_;
}

bool Execution::ended() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return result_ != nullptr;
}

int64_t Execution::last_sequence() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(events_.size());
}

int64_t Execution::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

std::shared_ptr<const CellResult> Execution::result() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return result_;
}

std::shared_ptr<const CellResult> Execution::AwaitResult(absl::Duration wait) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, ToChrono(wait), [this] { return result_ != nullptr; });
  return result_;
}

void Execution::Attach() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++readers_;
}

void Execution::Detach() {
  std::shared_ptr<RunnableCell> abandoned;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--readers_ == 0 && options_.on_disconnect == DisconnectRule::kCancelCell) abandoned = cell_;
  }
  if (abandoned != nullptr) abandoned->Cancel(options_.cancel_grace);
}

Execution::Reader::Reader(std::shared_ptr<Execution> execution, int64_t after_sequence)
    : execution_(std::move(execution)), position_(after_sequence) {
  execution_->Attach();
}

Execution::Reader::~Reader() {
  execution_->Detach();
}

std::vector<std::shared_ptr<const LoggedEvent>> Execution::Reader::Next(absl::Duration wait) {
  Execution& log = *execution_;
  std::unique_lock<std::mutex> lock(log.mutex_);
  const auto available = [&] {
    return static_cast<int64_t>(log.events_.size()) > position_ || log.result_ != nullptr;
  };
  log.changed_.wait_for(lock, ToChrono(wait), available);
  // A reader that asked to start beyond the end has nothing to come either.
  const size_t first = std::min<size_t>(position_, log.events_.size());
  std::vector<std::shared_ptr<const LoggedEvent>> batch(log.events_.begin() + first,
                                                        log.events_.end());
  position_ = std::max(position_, static_cast<int64_t>(log.events_.size()));
  done_ = log.result_ != nullptr;
  return batch;
}

}  // namespace cellblock
