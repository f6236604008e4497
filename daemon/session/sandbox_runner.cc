#include "daemon/session/sandbox_runner.h"

#include <atomic>
#include <utility>

#include "sandbox/base/status.h"
#include "sandbox/runtime/sandbox.h"

namespace cellblock {
namespace {

class SandboxCell : public RunnableCell {
 public:
  SandboxCell(Sandbox* sandbox, CellRequest request, CellLimits limits)
      : sandbox_(sandbox), request_(std::move(request)), limits_(limits) {}

  CellResult Run(absl::FunctionRef<void(CellEvent)> sink) override {
    return sandbox_->RunCell(request_, limits_, control_, sink);
  }
  void Interrupt() override { control_.Interrupt(); }
  void Cancel(absl::Duration grace) override { control_.Cancel(grace); }
  void Kill() override { control_.Kill(); }
  bool ProvideInput(std::string text, bool end_of_file) override {
    return control_.ProvideInput(std::move(text), end_of_file);
  }
  bool waiting_for_input() const override { return control_.waiting_for_input(); }

 private:
  Sandbox* const sandbox_;  // alive while Run runs
  const CellRequest request_;
  const CellLimits limits_;
  CellControl control_;
};

class SandboxUpload : public FileUpload {
 public:
  explicit SandboxUpload(std::unique_ptr<InitClient::Upload> upload) : upload_(std::move(upload)) {}
  int pipe() const override { return upload_->pipe(); }
  absl::Status Finish() override { return upload_->Finish(); }

 private:
  const std::unique_ptr<InitClient::Upload> upload_;
};

}  // namespace

class SandboxRunner : public CellRunner {
 public:
  SandboxRunner(SandboxFactory* factory, std::unique_ptr<Sandbox> sandbox)
      : factory_(factory), sandbox_(std::move(sandbox)) {
    const SandboxHandles& handles = sandbox_->handles();
    info_.image_digest = handles.image_digest;
    info_.work_dir = handles.work_dir;
    info_.facilities = handles.facilities;
    info_.python_version = sandbox_->python_version();
    factory_->Add(handles.id, this);
  }
  ~SandboxRunner() override { factory_->Remove(sandbox_->handles().id); }

  const RunnerInfo& info() const override { return info_; }
  std::shared_ptr<RunnableCell> Prepare(CellRequest request, CellLimits limits) override {
    return std::make_shared<SandboxCell>(sandbox_.get(), std::move(request), limits);
  }
  absl::Status KillInterpreter() override { return sandbox_->KillInterpreter(); }
  absl::StatusOr<WipeReport> Destroy() override {
    factory_->Remove(sandbox_->handles().id);
    return sandbox_->Destroy();
  }
  void KillAll() override {
    factory_->launcher_->KillSandbox(sandbox_->handles().id).IgnoreError();
  }
  int64_t epoch() const override { return sandbox_->epoch(); }
  bool interpreter_alive() const override { return sandbox_->interpreter_alive(); }
  bool sandbox_alive() const override { return alive_.load(); }

  absl::StatusOr<UniqueFd> OpenRead(absl::string_view path) override {
    return sandbox_->files().OpenRead(path);
  }
  absl::StatusOr<FileListing> List(absl::string_view path, bool recursive,
                                   int64_t max_entries) override {
    return sandbox_->files().List(path, recursive, max_entries);
  }
  absl::Status Remove(absl::string_view path, bool recursive) override {
    return sandbox_->files().Remove(path, recursive);
  }
  absl::StatusOr<std::unique_ptr<FileUpload>> StartUpload(absl::string_view path,
                                                          uint32_t mode) override {
    CELLBLOCK_ASSIGN_OR_RETURN(auto upload, sandbox_->files().StartUpload(path, mode, -1));
    return std::make_unique<SandboxUpload>(std::move(upload));
  }

  void NoteMemoryWatchdog() { sandbox_->NoteMemoryWatchdog(); }
  void NoteGone() { alive_.store(false); }

 private:
  SandboxFactory* const factory_;
  const std::unique_ptr<Sandbox> sandbox_;
  RunnerInfo info_;
  std::atomic<bool> alive_{true};
};

SandboxFactory::SandboxFactory(UniqueFd launcher_socket, std::function<void()> on_launcher_gone)
    : on_launcher_gone_(std::move(on_launcher_gone)),
      launcher_(std::make_unique<LauncherClient>(
          std::move(launcher_socket), [this](const LauncherNews& news) { OnNews(news); })) {}

SandboxFactory::~SandboxFactory() = default;

absl::StatusOr<HostReport> SandboxFactory::Hello() {
  return launcher_->Hello();
}

absl::StatusOr<std::unique_ptr<CellRunner>> SandboxFactory::Create(const RunnerSpec& spec) {
  CELLBLOCK_ASSIGN_OR_RETURN(auto sandbox,
                             Sandbox::Create(launcher_.get(), spec.sandbox, spec.environment));
  return std::make_unique<SandboxRunner>(this, std::move(sandbox));
}

void SandboxFactory::Add(uint64_t sandbox, SandboxRunner* runner) {
  const std::lock_guard<std::mutex> lock(mutex_);
  runners_[sandbox] = runner;
}

void SandboxFactory::Remove(uint64_t sandbox) {
  const std::lock_guard<std::mutex> lock(mutex_);
  runners_.erase(sandbox);
}

void SandboxFactory::OnNews(const LauncherNews& news) {
  if (news.kind == LauncherNews::Kind::kLauncherGone) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (auto& [id, runner] : runners_) runner->NoteGone();
    }
    on_launcher_gone_();
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = runners_.find(news.sandbox);
  if (found == runners_.end()) return;  // being made or destroyed
  if (news.kind == LauncherNews::Kind::kMemoryWatchdog) found->second->NoteMemoryWatchdog();
  if (news.kind == LauncherNews::Kind::kInitExited) found->second->NoteGone();
}

}  // namespace cellblock
