#include "sandbox/runtime/cell_control.h"

#include <sys/eventfd.h>

namespace cellblock {

void CellControl::State::Wake() const {
  eventfd_write(wake.get(), 1);
}

CellControl::CellControl() : state_(std::make_unique<State>()) {
  state_->wake = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

CellControl::~CellControl() = default;

void CellControl::Interrupt() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->interrupt = true;
  state_->Wake();
}

void CellControl::Cancel(absl::Duration grace) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->cancel_grace = grace;
  state_->Wake();
}

void CellControl::Kill() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->kill = true;
  state_->Wake();
}

bool CellControl::ProvideInput(std::string text, bool end_of_file) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  if (!state_->waiting_for_input) return false;
  state_->waiting_for_input = false;
  state_->inputs.push_back({std::move(text), end_of_file});
  state_->Wake();
  return true;
}

bool CellControl::waiting_for_input() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->waiting_for_input;
}

}  // namespace cellblock
