#include "sandbox/runtime/launcher_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "internal/launcher.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr size_t kMaxReply = 256 * 1024;
constexpr size_t kMaxFds = 8;
constexpr int kSocketFd = 3;
constexpr int kConfigFd = 4;

// Descriptors that no new sandbox may take: running ones need them for cells, files and clients.
constexpr rlim_t kSpareFds = 48;

struct Reply {
  internal::LauncherReply message;
  std::vector<UniqueFd> fds;
  bool no_room = false;  // for the descriptors that came with it
};

bool NoRoom(const Datagram& datagram) {
  rlimit limit{};
  if (datagram.fds_lost || getrlimit(RLIMIT_NOFILE, &limit) != 0) return true;
  for (const UniqueFd& fd : datagram.fds) {
    if (static_cast<rlim_t>(fd.get()) + kSpareFds >= limit.rlim_cur) return true;
  }
  return false;
}

absl::Status ToStatus(const internal::SetupFailure& failure) {
  const absl::StatusCode code = failure.invalid_request() ? absl::StatusCode::kInvalidArgument
                                : failure.exhausted()     ? absl::StatusCode::kResourceExhausted
                                                          : absl::StatusCode::kInternal;
  absl::Status status(code, failure.message());
  status.SetPayload(kSetupFailurePayload, absl::Cord(failure.SerializeAsString()));
  return status;
}

Facility FromWire(const internal::Facility& facility) {
  return {facility.name(), static_cast<Enforcement>(facility.enforcement()), facility.how(),
          facility.value(), facility.gap()};
}

template <typename Message>
std::vector<Facility> FacilitiesOf(const Message& message) {
  std::vector<Facility> facilities;
  for (const internal::Facility& facility : message.facilities()) {
    facilities.push_back(FromWire(facility));
  }
  return facilities;
}

void ToWire(const Limits& limits, internal::Limits* out) {
  out->set_memory_bytes(limits.memory_bytes);
  out->set_pids(limits.pids);
  out->set_cpu_millis(limits.cpu_millis);
  out->set_cpu_weight(limits.cpu_weight);
  out->set_disk_bytes(limits.disk_bytes);
  out->set_disk_inodes(limits.disk_inodes);
  out->set_shm_bytes(limits.shm_bytes);
  out->set_open_files(limits.open_files);
  out->set_file_size_bytes(limits.file_size_bytes);
  out->set_stack_bytes(limits.stack_bytes);
}

absl::Status NoDescriptors() {
  internal::SetupFailure failure;
  failure.set_step("receive descriptors");
  failure.set_object("RLIMIT_NOFILE");
  failure.set_errno_value(EMFILE);
  failure.set_message("the daemon has no descriptors left for another session");
  failure.set_remedy("delete sessions, or raise the daemon's limit of open files");
  failure.set_exhausted(true);
  return ToStatus(failure);
}

absl::Status WrongReply() {
  return absl::InternalError("the launcher's reply does not fit the request");
}

}  // namespace

// The reader thread hands each reply to the caller that waits for its id.
struct LauncherClient::State {
  UniqueFd socket;
  NewsHandler on_news;
  std::thread reader;
  std::mutex mutex;
  std::condition_variable arrived;
  uint64_t next_id = 1;
  std::map<uint64_t, Reply> replies;  // waited for, by id
  std::map<uint64_t, bool> waiting;
  bool gone = false;

  void Read() {
    for (;;) {
      absl::StatusOr<Datagram> datagram = ReceiveDatagram(socket.get(), kMaxReply, kMaxFds);
      Reply reply;
      const bool good = datagram.ok() && !datagram->end && !datagram->truncated &&
                        reply.message.ParseFromString(datagram->data);
      if (!good) break;
      reply.no_room = NoRoom(*datagram);
      reply.fds = std::move(datagram->fds);
      if (reply.message.has_event()) {
        Tell(reply.message.event());
        continue;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      const uint64_t id = reply.message.id();
      if (waiting.count(id) != 0) replies.emplace(id, std::move(reply));
      arrived.notify_all();
    }
    {
      const std::lock_guard<std::mutex> lock(mutex);
      gone = true;
      arrived.notify_all();
    }
    if (on_news) on_news({0, LauncherNews::Kind::kLauncherGone, 0});
  }

  void Tell(const internal::LauncherEvent& event) {
    if (!on_news) return;
    const bool watchdog = event.kind() == internal::LauncherEvent::MEMORY_WATCHDOG;
    on_news({event.sandbox(),
             watchdog ? LauncherNews::Kind::kMemoryWatchdog : LauncherNews::Kind::kInitExited,
             event.bytes()});
  }

  absl::StatusOr<Reply> Call(internal::LauncherRequest& request) {
    std::unique_lock<std::mutex> lock(mutex);
    const uint64_t id = next_id++;
    request.set_id(id);
    if (gone) return absl::UnavailableError("the launcher is gone");
    waiting[id] = true;
    lock.unlock();
    // Unlocked: the reader must go on while the launcher has no room for more.
    const bool sent = SendDatagram(socket.get(), request.SerializeAsString()).ok();
    lock.lock();
    if (!sent) {
      waiting.erase(id);
      return absl::UnavailableError("the launcher is gone");
    }
    arrived.wait(lock, [&] { return gone || replies.count(id) != 0; });
    waiting.erase(id);
    const auto found = replies.find(id);
    if (found == replies.end()) return absl::UnavailableError("the launcher is gone");
    Reply reply = std::move(found->second);
    replies.erase(found);
    if (reply.message.has_failure()) return ToStatus(reply.message.failure());
    return reply;
  }
};

bool HostReport::enforces(absl::string_view name) const {
  for (const Facility& facility : facilities) {
    if (facility.name == name) return facility.enforcement == Enforcement::kKernel;
  }
  return false;
}

LauncherClient::LauncherClient(UniqueFd socket, NewsHandler on_news)
    : state_(std::make_unique<State>()) {
  state_->socket = std::move(socket);
  state_->on_news = std::move(on_news);
  state_->reader = std::thread([state = state_.get()] { state->Read(); });
}

LauncherClient::~LauncherClient() {
  // Ends the reader's wait; the launcher sees the end and clears everything.
  shutdown(state_->socket.get(), SHUT_RDWR);
  state_->reader.join();
}

absl::StatusOr<HostReport> LauncherClient::Hello() {
  internal::LauncherRequest request;
  request.mutable_hello();
  CELLBLOCK_ASSIGN_OR_RETURN(const Reply reply, state_->Call(request));
  if (!reply.message.has_hello()) return WrongReply();
  const internal::HelloReply& hello = reply.message.hello();
  HostReport report;
  report.run_id = hello.run_id();
  report.kernel_release = hello.kernel_release();
  report.leftovers_removed = hello.leftovers_removed();
  report.facilities = FacilitiesOf(hello);
  for (const internal::HelloReply::Image& image : hello.images()) {
    report.images.emplace_back(image.name(), image.digest());
  }
  return report;
}

absl::StatusOr<SandboxHandles> LauncherClient::CreateSandbox(const SandboxSpec& spec) {
  internal::LauncherRequest request;
  internal::CreateSandboxRequest* create = request.mutable_create();
  create->set_image(spec.image);
  ToWire(spec.limits, create->mutable_limits());
  create->set_seccomp_program(spec.seccomp_program);
  create->set_executable_work_dir(spec.executable_work_dir);
  create->set_time_zone(spec.time_zone);
  for (const std::string& name : spec.read_only) create->add_read_only(name);
  CELLBLOCK_ASSIGN_OR_RETURN(Reply reply, state_->Call(request));
  const internal::CreateSandboxReply& created = reply.message.create();
  if (reply.no_room) {
    DestroySandbox(created.sandbox()).status().IgnoreError();
    return NoDescriptors();
  }
  if (!reply.message.has_create() || reply.fds.size() != (created.has_cgroup() ? 4U : 2U)) {
    return WrongReply();
  }
  SandboxHandles handles;
  handles.id = created.sandbox();
  handles.image_digest = created.image_digest();
  handles.work_dir = created.work_dir();
  handles.facilities = FacilitiesOf(created);
  handles.init_pidfd = std::move(reply.fds[0]);
  handles.init_socket = std::move(reply.fds[1]);
  if (created.has_cgroup()) {
    handles.cgroup_dir = std::move(reply.fds[2]);
    handles.cgroup_kill = std::move(reply.fds[3]);
  }
  return handles;
}

absl::StatusOr<WorkerHandles> LauncherClient::SpawnWorker(
    uint64_t sandbox, uint32_t incarnation, const std::map<std::string, std::string>& environment) {
  internal::LauncherRequest request;
  internal::SpawnWorkerRequest* spawn = request.mutable_spawn();
  spawn->set_sandbox(sandbox);
  spawn->set_incarnation(incarnation);
  for (const auto& [name, value] : environment) (*spawn->mutable_environment())[name] = value;
  CELLBLOCK_ASSIGN_OR_RETURN(Reply reply, state_->Call(request));
  const internal::SpawnWorkerReply& spawned = reply.message.spawn();
  if (reply.no_room) {
    KillCell(sandbox).IgnoreError();
    return NoDescriptors();
  }
  if (!reply.message.has_spawn() || reply.fds.size() != (spawned.has_cgroup() ? 6U : 4U)) {
    return WrongReply();
  }
  WorkerHandles handles;
  handles.pid = static_cast<int32_t>(spawned.pid_in_sandbox());
  handles.pidfd = std::move(reply.fds[0]);
  handles.control = std::move(reply.fds[1]);
  handles.stdout_pipe = std::move(reply.fds[2]);
  handles.stderr_pipe = std::move(reply.fds[3]);
  if (spawned.has_cgroup()) {
    handles.cgroup_dir = std::move(reply.fds[4]);
    handles.cgroup_kill = std::move(reply.fds[5]);
  }
  return handles;
}

absl::Status LauncherClient::KillCell(uint64_t sandbox) {
  internal::LauncherRequest request;
  request.mutable_kill()->set_sandbox(sandbox);
  return state_->Call(request).status();
}

absl::Status LauncherClient::KillSandbox(uint64_t sandbox) {
  internal::LauncherRequest request;
  request.mutable_kill()->set_sandbox(sandbox);
  request.mutable_kill()->set_whole_sandbox(true);
  return state_->Call(request).status();
}

absl::StatusOr<WipeReport> LauncherClient::DestroySandbox(uint64_t sandbox) {
  internal::LauncherRequest request;
  request.mutable_destroy()->set_sandbox(sandbox);
  CELLBLOCK_ASSIGN_OR_RETURN(const Reply reply, state_->Call(request));
  if (!reply.message.has_destroy()) return WrongReply();
  const internal::DestroySandboxReply& wiped = reply.message.destroy();
  return WipeReport{wiped.processes_left(), wiped.mounts_gone(), wiped.cgroup_removed(),
                    wiped.uids_released()};
}

absl::StatusOr<UniqueFd> StartLauncher(const std::string& launcher_path,
                                       const std::string& config_text) {
  CELLBLOCK_ASSIGN_OR_RETURN(auto sockets, SocketPair());
  CELLBLOCK_ASSIGN_OR_RETURN(auto config, Pipe());
  if (access(launcher_path.c_str(), X_OK) != 0) {
    return ErrnoStatus("start launcher", launcher_path, errno);
  }
  // The text fits a pipe's buffer, so it can be written before anybody reads.
  constexpr size_t kPipeBuffer = 64 * 1024;
  if (config_text.size() >= kPipeBuffer) {
    return absl::InvalidArgumentError("the launcher's configuration is too long");
  }
  CELLBLOCK_RETURN_IF_ERROR(WriteAll(config.second.get(), config_text));
  config.second.reset();
  const pid_t pid = fork();
  if (pid < 0) return ErrnoStatus("fork", launcher_path, errno);
  if (pid == 0) {
    // Out of the way of 3 and 4 first.
    const int socket = fcntl(sockets.second.get(), F_DUPFD, 10);
    const int text = fcntl(config.first.get(), F_DUPFD, 10);
    dup2(socket, kSocketFd);
    dup2(text, kConfigFd);
    close_range(kConfigFd + 1, ~0U, 0);
    char* const argv[] = {const_cast<char*>("cellblock-launcher"), nullptr};
    char* const environment[] = {nullptr};
    execve(launcher_path.c_str(), argv, environment);
    _exit(127);
  }
  return std::move(sockets.first);
}

}  // namespace cellblock
