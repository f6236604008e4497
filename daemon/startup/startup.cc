#include "daemon/startup/startup.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "daemon/observe/log.h"
#include "daemon/startup/image_cache.h"
#include "sandbox/base/status.h"

namespace cellblock {

Startup::Startup(Options options, RunnerFactory factory,
                 std::function<void(absl::Status)> on_tested)
    : options_(std::move(options)),
      factory_(std::move(factory)),
      on_tested_(std::move(on_tested)),
      thread_([this] { outcome_ = Work(); }) {}

Startup::~Startup() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    if (running_ != nullptr) running_->Kill();
  }
  if (thread_.joinable()) thread_.join();
}

absl::Status Startup::Wait() {
  thread_.join();
  return outcome_;
}

absl::Status Startup::RunCode(CellRunner* runner, absl::string_view code) {
  CellRequest request;
  request.code = std::string(code);
  request.silent = true;
  request.name = "startup";
  const std::shared_ptr<RunnableCell> cell = runner->Prepare(std::move(request), options_.limits);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return absl::CancelledError("the daemon is stopping");
    running_ = cell;
  }
  const CellResult result = cell->Run([](const CellEvent&) {});
  const std::lock_guard<std::mutex> lock(mutex_);
  running_ = nullptr;
  if (result.outcome == Outcome::kOk) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("a cell of the daemon's own failed: ", result.message));
}

absl::Status Startup::Prepare(CellRunner* runner) {
  if (HasImageCache(options_.state_dir, runner->info().image_digest)) return absl::OkStatus();
  return PrepareImageCache(options_.state_dir, runner,
                           [&](absl::string_view code) { return RunCode(runner, code); });
}

absl::Status Startup::Work() {
  if (!options_.self_test) on_tested_(absl::OkStatus());
  const bool cache_wanted =
      options_.image_cache && !HasImageCache(options_.state_dir, options_.image_digest);
  if (!options_.self_test && !cache_wanted) return absl::OkStatus();
  auto runner = factory_(options_.spec);
  absl::Status status = runner.status();
  if (options_.self_test) {
    if (status.ok()) status = RunCode(runner->get(), "1+1");
    on_tested_(status);
  }
  if (status.ok() && cache_wanted) status = Prepare(runner->get());
  if (!status.ok()) Log(LogLevel::kWarning, "startup_incomplete", {{"why", status.message()}});
  if (runner.ok()) (*runner)->Destroy().IgnoreError();
  return status;
}

}  // namespace cellblock
