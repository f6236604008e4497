#include "tests/unit/daemon/scripted_runner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

class ScriptedCell : public RunnableCell {
 public:
  ScriptedCell(std::shared_ptr<Record> record, std::shared_ptr<std::atomic<int64_t>> epoch,
               std::shared_ptr<std::atomic<bool>> interpreter, CellRequest request,
               CellLimits limits)
      : record_(std::move(record)),
        epoch_(std::move(epoch)),
        interpreter_(std::move(interpreter)),
        request_(std::move(request)),
        limits_(limits) {}

  CellResult Run(absl::FunctionRef<void(CellEvent)> sink) override {
    const int64_t count = ++record_->cells;
    if (!interpreter_->exchange(true)) ++*epoch_;
    sink(CellStarted{count});
    CellResult result = Act(sink);
    result.execution_count = count;
    result.epoch = *epoch_;
    result.usage.wall = limits_.wall;  // so that a test sees the limit that was given
    return result;
  }

  void Interrupt() override { Ask(1); }
  void Cancel(absl::Duration) override {
    ++record_->cancels;
    Ask(2);
  }
  void Kill() override {
    ++record_->kills;
    Ask(3);
  }
  bool ProvideInput(std::string text, bool) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!waiting_) return false;
    waiting_ = false;
    input_ = std::move(text);
    changed_.notify_all();
    return true;
  }
  bool waiting_for_input() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiting_;
  }

 private:
  CellResult Act(absl::FunctionRef<void(CellEvent)> sink) {
    const std::string& code = request_.code;
    CellResult result;
    result.outcome = Outcome::kOk;
    if (absl::StartsWith(code, "say ")) sink(OutputChunk{Stream::kStdout, code.substr(4)});
    if (code == "fail") {
      result.outcome = Outcome::kException;
      result.error.emplace();
      result.error->name = "ValueError";
    }
    if (code == "block") Await(1, &result);
    if (code == "stubborn") Await(2, &result);
    if (code == "ask") Converse(sink, &result);
    if (code == "die") Lose(Outcome::kSignaled, &result);
    return result;
  }

  void Converse(absl::FunctionRef<void(CellEvent)> sink, CellResult* result) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_ = true;
    }
    sink(InputRequest{"name? "});
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_ || asked_ > 0; });
    if (asked_ > 0) {
      result->outcome = Outcome::kInterrupted;
      return;
    }
    const std::string answer = input_;
    lock.unlock();
    sink(OutputChunk{Stream::kStdout, answer});
  }

  // Until asked with at least this force.
  void Await(int force, CellResult* result) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= force; });
    if (asked_ < 3 && force < 2) {
      result->outcome = Outcome::kInterrupted;
    } else {
      Lose(Outcome::kInterrupted, result);
    }
  }

  void Lose(Outcome outcome, CellResult* result) {
    *interpreter_ = false;
    result->outcome = outcome;
    result->state = StateFate::kLost;
  }

  void Ask(int force) {
    const std::lock_guard<std::mutex> lock(mutex_);
    asked_ = std::max(asked_, force);
    changed_.notify_all();
  }

  const std::shared_ptr<Record> record_;
  const std::shared_ptr<std::atomic<int64_t>> epoch_;
  const std::shared_ptr<std::atomic<bool>> interpreter_;
  const CellRequest request_;
  const CellLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int asked_ = 0;
  bool waiting_ = false;
  std::string input_;
};

// init's half of an upload: copies the pipe into a file that gets its name at the end.
class ScriptedUpload : public FileUpload {
 public:
  ScriptedUpload(std::string path, int64_t disk_limit)
      : path_(std::move(path)), disk_limit_(disk_limit) {
    auto pipe = Pipe();
    reader_ = std::move(pipe->first);
    writer_ = std::move(pipe->second);
    copier_ = std::thread([this] { Copy(); });
  }
  ~ScriptedUpload() override {
    writer_.reset();
    if (copier_.joinable()) copier_.join();
  }
  int pipe() const override { return writer_.get(); }
  absl::Status Finish() override {
    writer_.reset();
    copier_.join();
    if (full_) return absl::ResourceExhaustedError("upload: No space left on device");
    std::error_code error;
    fs::create_directories(fs::path(path_).parent_path(), error);
    UniqueFd file(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    return WriteAll(file.get(), content_);
  }

 private:
  void Copy() {
    char buffer[65536];
    for (;;) {
      const ssize_t got = read(reader_.get(), buffer, sizeof buffer);
      if (got <= 0) return;
      content_.append(buffer, got);
      if (static_cast<int64_t>(content_.size()) <= disk_limit_) continue;
      full_ = true;
      reader_.reset();
      return;
    }
  }

  const std::string path_;
  const int64_t disk_limit_;
  UniqueFd reader_, writer_;
  std::string content_;  // the copier's until it is joined
  bool full_ = false;
  std::thread copier_;
};

class ScriptedRunner : public CellRunner {
 public:
  explicit ScriptedRunner(std::shared_ptr<Record> record) : record_(std::move(record)) {
    ++record_->made;
    char folder[] = "/tmp/cellblock-scripted-XXXXXX";
    folder_ = mkdtemp(folder);
    info_.image_digest = "ab12";
    info_.work_dir = "/work";
    info_.python_version = "3.11.2";
    info_.facilities.push_back({"memory", Enforcement::kKernel, "memory.max", "1024", ""});
  }
  ~ScriptedRunner() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  const RunnerInfo& info() const override { return info_; }
  std::shared_ptr<RunnableCell> Prepare(CellRequest request, CellLimits limits) override {
    return std::make_shared<ScriptedCell>(record_, epoch_, interpreter_, std::move(request),
                                          limits);
  }
  absl::Status KillInterpreter() override {
    ++record_->kills;
    *interpreter_ = false;
    return absl::OkStatus();
  }
  absl::StatusOr<WipeReport> Destroy() override {
    ++record_->destroyed;
    WipeReport report;
    report.mounts_gone = report.cgroup_removed = report.uids_released = true;
    return report;
  }
  void KillAll() override {}
  int64_t epoch() const override { return *epoch_; }
  bool interpreter_alive() const override { return *interpreter_; }
  bool sandbox_alive() const override { return record_->sandbox_alive; }

  absl::StatusOr<UniqueFd> OpenRead(absl::string_view path) override {
    const std::string full = Full(path);
    UniqueFd file(open(full.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (!file.valid()) return ErrnoStatus("open", path, errno);
    return file;
  }
  absl::StatusOr<FileListing> List(absl::string_view path, bool, int64_t max_entries) override {
    FileListing listing;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(Full(path), error)) {
      if (static_cast<int64_t>(listing.entries.size()) == max_entries) {
        listing.truncated = true;
        break;
      }
      FileEntry out;
      out.path = path.empty() ? entry.path().filename().string()
                              : absl::StrCat(path, "/", entry.path().filename().string());
      out.type = entry.is_regular_file() ? EntryType::kRegular : EntryType::kOther;
      listing.entries.push_back(out);
    }
    if (error) return ErrnoStatus("list", path, error.value());
    return listing;
  }
  absl::Status Remove(absl::string_view path, bool) override {
    return unlink(Full(path).c_str()) == 0 ? absl::OkStatus() : ErrnoStatus("remove", path, errno);
  }
  absl::StatusOr<std::unique_ptr<FileUpload>> StartUpload(absl::string_view path,
                                                          uint32_t) override {
    return std::make_unique<ScriptedUpload>(Full(path), record_->disk_limit);
  }

 private:
  std::string Full(absl::string_view path) const { return absl::StrCat(folder_, "/", path); }

  const std::shared_ptr<Record> record_;
  const std::shared_ptr<std::atomic<int64_t>> epoch_ = std::make_shared<std::atomic<int64_t>>(1);
  const std::shared_ptr<std::atomic<bool>> interpreter_ = std::make_shared<std::atomic<bool>>(true);
  RunnerInfo info_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<CellRunner> MakeScriptedRunner(std::shared_ptr<Record> record) {
  return std::make_unique<ScriptedRunner>(std::move(record));
}

RunnerFactory ScriptedFactory(std::shared_ptr<Record> record) {
  return [record](const RunnerSpec&) -> absl::StatusOr<std::unique_ptr<CellRunner>> {
    if (record->refuse_create) return absl::InternalError("pivot_root /new: refused");
    return MakeScriptedRunner(record);
  };
}

SessionSpec TestSpec(const std::string& tenant) {
  SessionSpec spec;
  spec.tenant = tenant;
  spec.image = "host";
  spec.policy = "python";
  spec.cell_limits.wall = absl::Seconds(60);
  spec.cell_limits.grace = absl::Seconds(1);
  spec.idle_ttl = absl::Minutes(30);
  spec.total_ttl = absl::Hours(24);
  return spec;
}

CellSpec TestCell(const std::string& code, const std::string& execution_id) {
  CellSpec cell;
  cell.request.code = code;
  cell.execution_id = execution_id;
  return cell;
}

}  // namespace cellblock
