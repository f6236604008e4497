#include "sandbox/launcher/server.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "internal/launcher.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/memory_watchdog.h"
#include "sandbox/launcher/sandbox_factory.h"
#include "sandbox/launcher/session_disk.h"
#include "sandbox/launcher/wire.h"
#include "sandbox/launcher/worker_spawner.h"
#include "sandbox/seccomp/evaluator.h"

namespace cellblock::launcher {
namespace {

constexpr size_t kMaxRequest = 256 * 1024;
constexpr int kRemoveGroupTimeoutMs = 2000;
constexpr size_t kMaxZoneName = 64;

bool IsZoneName(const std::string& name) {
  if (name.size() > kMaxZoneName || name.find("..") != std::string::npos) return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && !strchr("/_+-", c)) return false;
  }
  return name.empty() || name[0] != '/';
}

int CountProcesses(const SandboxRecord& record) {
  if (!record.groups.session.valid()) return 0;
  // "populated 0" covers the whole subtree.
  const absl::StatusOr<std::string> events =
      ReadFileAt(record.groups.session.dir_fd(), "cgroup.events");
  return events.ok() && events->find("populated 1") != std::string::npos ? 1 : 0;
}

}  // namespace

Server::Server(Host& host, UniqueFd daemon) : host_(host), daemon_(std::move(daemon)) {}

void Server::Run(int stop_fd) {
  while (!daemon_gone_) {
    std::vector<pollfd> polled = {{daemon_.get(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
    std::vector<uint64_t> ids;
    for (const auto& [id, record] : sandboxes_) {
      if (record->init_reaped) continue;
      polled.push_back({record->init_pidfd.get(), POLLIN, 0});
      ids.push_back(id);
    }
    const int ready = poll(polled.data(), polled.size(), WatchdogNeeded() ? kWatchdogPeriodMs : -1);
    if (ready < 0 && errno != EINTR) break;
    CheckMemory();
    if (ready <= 0) continue;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (polled[i + 2].revents != 0) InitEnded(*sandboxes_.at(ids[i]));
    }
    if (polled[1].revents != 0) break;
    if (polled[0].revents != 0 && !ServeOne()) break;
  }
  KillAll();
}

bool Server::ServeOne() {
  const absl::StatusOr<Datagram> datagram = ReceiveDatagram(daemon_.get(), kMaxRequest, 0);
  if (!datagram.ok() || datagram->end) return false;
  internal::LauncherRequest request;
  // A daemon that does not speak the language is not served further.
  if (datagram->truncated || datagram->fds_lost || !request.ParseFromString(datagram->data))
    return false;
  Dispatch(request);
  return !daemon_gone_;
}

void Server::Dispatch(const internal::LauncherRequest& request) {
  internal::LauncherReply reply;
  reply.set_id(request.id());
  absl::Status status;
  switch (request.op_case()) {
    case internal::LauncherRequest::kHello:
      Hello(&reply);
      return Send(reply);
    case internal::LauncherRequest::kCreate:
      status = Create(request, &reply);
      break;
    case internal::LauncherRequest::kSpawn:
      status = Spawn(request, &reply);
      break;
    case internal::LauncherRequest::kKill:
      status = Kill(request, &reply);
      break;
    case internal::LauncherRequest::kDestroy:
      status = Destroy(request);
      break;
    case internal::LauncherRequest::OP_NOT_SET:
      status = Refused("op", "is missing");
      break;
  }
  if (status.ok()) return;  // the operation has sent its reply, or will
  reply.clear_op();
  FillFailure(status, reply.mutable_failure());
  Send(reply);
}

void Server::Hello(internal::LauncherReply* reply) const {
  internal::HelloReply* hello = reply->mutable_hello();
  hello->set_run_id(host_.run.id);
  hello->set_leftovers_removed(host_.leftovers_removed);
  for (const Facility& facility : HostFacilities(host_.cgroup_root, host_.landlock_abi)) {
    ToWire(facility, hello->add_facilities());
  }
  if (host_.settings.host_image) {
    internal::HelloReply::Image* image = hello->add_images();
    image->set_name("host");
    image->set_digest(host_.host_image_digest);
  }
  utsname system;
  if (uname(&system) == 0) hello->set_kernel_release(system.release);
}

absl::Status Server::Create(const internal::LauncherRequest& request,
                            internal::LauncherReply* reply) {
  const internal::CreateSandboxRequest& wanted = request.create();
  if (sandboxes_.size() >= static_cast<size_t>(host_.settings.max_sandboxes)) {
    return Exhausted("max_sandboxes", absl::StrCat(sandboxes_.size(), " sandboxes are alive"));
  }
  if (!IsZoneName(wanted.time_zone())) return Refused("time_zone", "is not an IANA name");
  absl::StatusOr<SeccompProgram> program = SeccompProgram::FromBytes(wanted.seccomp_program());
  if (!program.ok()) return Refused("seccomp_program", program.status().message());
  if (const absl::Status floor = CheckSeccompFloor(*program); !floor.ok()) {
    return Refused("seccomp_program", floor.message());
  }
  const uint64_t id = next_id_++;
  CELLBLOCK_ASSIGN_OR_RETURN(
      NewSandbox made, BuildSandbox(host_, id,
                                    {wanted.image(),
                                     LimitsFrom(wanted.limits()),
                                     *std::move(program),
                                     wanted.executable_work_dir(),
                                     wanted.time_zone(),
                                     {wanted.read_only().begin(), wanted.read_only().end()}}));
  SandboxRecord& record = *made.record;
  internal::CreateSandboxReply* created = reply->mutable_create();
  created->set_sandbox(id);
  created->set_image_digest(made.image_digest);
  created->set_work_dir(kWorkDir);
  created->set_init_pid(static_cast<uint32_t>(record.init_pid));
  for (const Facility& facility : record.groups.facilities) {
    ToWire(facility, created->add_facilities());
  }
  Fds fds = {record.init_pidfd.get(), made.init_socket.get()};
  UniqueFd dir, kill;
  if (record.groups.session.valid()) {
    CELLBLOCK_ASSIGN_OR_RETURN(dir, record.groups.session.OpenDirectory());
    CELLBLOCK_ASSIGN_OR_RETURN(kill, record.groups.session.OpenKill());
    created->set_has_cgroup(true);
    fds.push_back(dir.get());
    fds.push_back(kill.get());
  }
  sandboxes_.emplace(id, std::move(made.record));
  Send(*reply, fds);
  return absl::OkStatus();
}

absl::Status Server::Spawn(const internal::LauncherRequest& request,
                           internal::LauncherReply* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(SandboxRecord * record, Find(request.spawn().sandbox()));
  if (record->dying || record->init_reaped) {
    return StepFailed("spawn worker", "sandbox has ended", ESRCH);
  }
  const std::map<std::string, std::string> environment(request.spawn().environment().begin(),
                                                       request.spawn().environment().end());
  CELLBLOCK_ASSIGN_OR_RETURN(const NewWorker worker,
                             AddWorker(host_, *record, request.spawn().incarnation(), environment));
  internal::SpawnWorkerReply* spawned = reply->mutable_spawn();
  spawned->set_pid_in_sandbox(static_cast<uint32_t>(worker.pid));
  Fds fds = {worker.pidfd.get(), worker.control.get(), worker.stdout_pipe.get(),
             worker.stderr_pipe.get()};
  UniqueFd dir, kill;
  const auto cell = record->cells.find(request.spawn().incarnation());
  if (cell != record->cells.end()) {
    CELLBLOCK_ASSIGN_OR_RETURN(dir, cell->second.OpenDirectory());
    CELLBLOCK_ASSIGN_OR_RETURN(kill, cell->second.OpenKill());
    spawned->set_has_cgroup(true);
    fds.push_back(dir.get());
    fds.push_back(kill.get());
  }
  Send(*reply, fds);
  return absl::OkStatus();
}

absl::Status Server::Kill(const internal::LauncherRequest& request,
                          internal::LauncherReply* reply) {
  CELLBLOCK_ASSIGN_OR_RETURN(SandboxRecord * record, Find(request.kill().sandbox()));
  if (request.kill().whole_sandbox())
    KillWhole(*record);
  else
    KillCells(*record);
  reply->mutable_kill();
  Send(*reply);
  return absl::OkStatus();
}

// Replied to when init has been reaped: the loop stays free for others meanwhile.
absl::Status Server::Destroy(const internal::LauncherRequest& request) {
  CELLBLOCK_ASSIGN_OR_RETURN(SandboxRecord * record, Find(request.destroy().sandbox()));
  record->destroy_replies.push_back(request.id());
  KillWhole(*record);
  if (record->init_reaped) Finish(*record);
  return absl::OkStatus();
}

absl::StatusOr<SandboxRecord*> Server::Find(uint64_t id) {
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end()) return Refused(absl::StrCat("sandbox ", id), "is not known");
  return found->second.get();
}

void Server::KillCells(SandboxRecord& record) {
  for (auto& [incarnation, cell] : record.cells) cell.Kill().IgnoreError();
}

void Server::KillWhole(SandboxRecord& record) {
  record.dying = true;
  if (record.groups.session.valid()) record.groups.session.Kill().IgnoreError();
  // Init is PID 1 of its namespace: the kernel ends everything in it.
  syscall(SYS_pidfd_send_signal, record.init_pidfd.get(), SIGKILL, nullptr, 0);
}

void Server::InitEnded(SandboxRecord& record) {
  // The kernel lets init be reaped only after every other process of its namespace.
  if (waitpid(record.init_pid, nullptr, WNOHANG) != record.init_pid) return;
  record.init_reaped = true;
  if (!record.destroy_replies.empty()) return Finish(record);
  internal::LauncherReply news;
  news.mutable_event()->set_sandbox(record.id);
  news.mutable_event()->set_kind(internal::LauncherEvent::INIT_EXITED);
  Send(news);
}

void Server::Finish(SandboxRecord& record) {
  internal::LauncherReply reply;
  internal::DestroySandboxReply* wiped = reply.mutable_destroy();
  wiped->set_processes_left(CountProcesses(record));
  wiped->set_mounts_gone(record.init_reaped && wiped->processes_left() == 0);
  wiped->set_cgroup_removed(
      !record.groups.session.valid() ||
      RemoveCgroupTree(host_.run_group.dir_fd(), record.cgroup_name, kRemoveGroupTimeoutMs).ok());
  host_.uids.Release(record.uids);
  wiped->set_uids_released(true);
  const std::vector<uint64_t> ids = std::move(record.destroy_replies);
  sandboxes_.erase(record.id);
  for (const uint64_t id : ids) {
    reply.set_id(id);
    Send(reply);
  }
}

bool Server::WatchdogNeeded() const {
  for (const auto& [id, record] : sandboxes_) {
    if (record->groups.memory_emulated && !record->dying) return true;
  }
  return false;
}

void Server::CheckMemory() {
  for (const auto& [id, record] : sandboxes_) {
    if (!record->groups.memory_emulated || record->dying) continue;
    const int64_t bytes = MemoryAboveLimit(*record);
    if (bytes == 0) continue;
    // The news goes first, so that the daemon knows the cause when it sees the death.
    internal::LauncherReply news;
    news.mutable_event()->set_sandbox(id);
    news.mutable_event()->set_kind(internal::LauncherEvent::MEMORY_WATCHDOG);
    news.mutable_event()->set_bytes(bytes);
    Send(news);
    KillCells(*record);
  }
}

void Server::KillAll() {
  for (const auto& [id, record] : sandboxes_) KillWhole(*record);
  for (const auto& [id, record] : sandboxes_) {
    if (!record->init_reaped) {
      while (waitpid(record->init_pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    host_.uids.Release(record->uids);
  }
  sandboxes_.clear();
}

void Server::Send(const internal::LauncherReply& reply, const Fds& fds) {
  if (!SendDatagram(daemon_.get(), reply.SerializeAsString(), fds).ok()) daemon_gone_ = true;
}

}  // namespace cellblock::launcher
