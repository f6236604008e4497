#include "sandbox/runtime/init_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/child/init_protocol.h"

namespace cellblock {
namespace {

constexpr size_t kMaxPart = 255;
constexpr size_t kMaxWaitReports = 256;
constexpr absl::Duration kAnswerTime = absl::Seconds(60);
constexpr absl::Duration kUsageTime = absl::Milliseconds(200);  // only for the record
constexpr absl::Duration kSignalTime = absl::Seconds(5);        // a cell's clocks wait for these

// What init sends, as a value.
struct Message {
  init::Message fields{};
  std::string path;
  UniqueFd fd;
  bool fd_lost = false;
};

absl::StatusOr<Message> Parse(Datagram datagram) {
  if (datagram.truncated || datagram.data.size() <= init::kMessageHead) {
    return absl::InternalError("init sent a malformed message");
  }
  Message message;
  memcpy(&message.fields, datagram.data.data(), init::kMessageHead);
  message.path = datagram.data.c_str() + init::kMessageHead;
  message.fd_lost = datagram.fds_lost;
  if (!datagram.fds.empty()) message.fd = std::move(datagram.fds[0]);
  return message;
}

absl::Status Answer(const char* operation, absl::string_view path, int error) {
  if (error == 0) return absl::OkStatus();
  if (error == EPROTO) return absl::DataLossError(absl::StrCat(operation, ": bytes were lost"));
  if (error == ECANCELED) return absl::CancelledError(absl::StrCat(operation, ": broken off"));
  return ErrnoStatus(operation, absl::CHexEscape(path), error);
}

absl::Status Gone() {
  return absl::UnavailableError("the sandbox's init is gone");
}

EntryType FromWire(init::EntryType type) {
  switch (type) {
    case init::EntryType::kRegular:
      return EntryType::kRegular;
    case init::EntryType::kDirectory:
      return EntryType::kDirectory;
    case init::EntryType::kSymlink:
      return EntryType::kSymlink;
    case init::EntryType::kOther:
      break;
  }
  return EntryType::kOther;
}

FileEntry ToEntry(const Message& message) {
  FileEntry entry;
  entry.path = message.path;
  entry.type = FromWire(message.fields.type);
  entry.size = message.fields.value;
  entry.modified = absl::FromUnixNanos(message.fields.value2);
  entry.ctime_ns = message.fields.ctime_ns;
  entry.inode = static_cast<uint64_t>(message.fields.value3);
  entry.mode = message.fields.mode;
  return entry;
}

}  // namespace

absl::Status CheckSandboxPath(absl::string_view path) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("path \"", absl::CHexEscape(path.substr(0, 64)), "\" ", why));
  };
  if (path.empty()) return refuse("is empty");
  if (path.size() >= init::kMaxPath) return refuse("is longer than 4095 bytes");
  if (path[0] == '/') return refuse("is absolute; paths are relative to the work folder");
  if (path.find('\0') != absl::string_view::npos) return refuse("holds a NUL byte");
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty()) return refuse("has an empty part");
    if (part == "." || part == "..") return refuse("has a part \".\" or \"..\"");
    if (part.size() > kMaxPart) return refuse("has a part longer than 255 bytes");
  }
  return absl::OkStatus();
}

// Leader and followers: of all threads that wait, one reads the socket and sorts what it gets; the
// others sleep until it has theirs or gives up the lead.
struct InitClient::State {
  UniqueFd socket;
  std::mutex mutex;
  std::condition_variable changed;
  bool reading = false;
  bool gone = false;
  std::atomic<int64_t> writes{0};
  uint32_t next_tag = 1;
  std::map<uint32_t, std::deque<Message>> inbox;  // of open requests
  std::deque<WaitReport> exits;

  void Sort(Message message) {
    if (message.fields.kind == init::Kind::kWait) {
      exits.push_back({message.fields.pid, static_cast<int>(message.fields.value),
                       absl::Microseconds(message.fields.value2), message.fields.value3 * 1024});
      if (exits.size() > kMaxWaitReports) exits.pop_front();
      return;
    }
    const auto box = inbox.find(message.fields.tag);
    if (box != inbox.end()) box->second.push_back(std::move(message));
  }

  // Reads what is there, waiting until the deadline for the first. Called as leader, unlocked.
  void Read(absl::Time deadline) {
    pollfd polled{socket.get(), POLLIN, 0};
    const absl::Duration left =
        std::clamp(deadline - SteadyNow(), absl::ZeroDuration(), absl::Minutes(1));
    const int64_t milliseconds = absl::ToInt64Milliseconds(left) + 1;
    if (poll(&polled, 1, static_cast<int>(milliseconds)) <= 0) return;
    ReadAvailable();
  }

  void ReadAvailable() {
    for (;;) {
      absl::StatusOr<Datagram> datagram =
          ReceiveDatagram(socket.get(), sizeof(init::Message), 1, MSG_DONTWAIT);
      if (absl::IsUnavailable(datagram.status())) {
        pollfd now{socket.get(), 0, 0};
        if (poll(&now, 1, 0) == 0 || (now.revents & (POLLHUP | POLLERR)) == 0) return;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      if (!datagram.ok() || datagram->end) {
        gone = true;
        return;
      }
      absl::StatusOr<Message> message = Parse(*std::move(datagram));
      if (message.ok()) Sort(*std::move(message));
    }
  }

  // Waits until `done` (called locked) or the deadline; false at the deadline or when init is gone.
  template <typename Done>
  bool Await(std::unique_lock<std::mutex>& lock, absl::Time deadline, Done done) {
    while (!done()) {
      if (gone || SteadyNow() >= deadline) return false;
      if (reading) {
        changed.wait_for(lock, absl::ToChronoNanoseconds(deadline - SteadyNow()));
        continue;
      }
      reading = true;
      lock.unlock();
      Read(deadline);
      lock.lock();
      reading = false;
      changed.notify_all();
    }
    return true;
  }

  // Waits until init takes requests again, reading its answers meanwhile: it may be held up by
  // them. Followers wait for the leader's next turn. False if init is gone or takes nothing for a
  // minute.
  bool AwaitRoom(std::unique_lock<std::mutex>& lock, absl::Time deadline) {
    if (gone || SteadyNow() >= deadline) return false;
    if (reading) {
      changed.wait_for(lock, std::chrono::milliseconds(5));
      return !gone;
    }
    reading = true;
    lock.unlock();
    pollfd polled{socket.get(), POLLIN | POLLOUT, 0};
    poll(&polled, 1, 1000);
    if ((polled.revents & ~POLLOUT) != 0) ReadAvailable();
    lock.lock();
    reading = false;
    changed.notify_all();
    return !gone;
  }

  absl::StatusOr<uint32_t> Send(std::unique_lock<std::mutex>& lock, init::Request request,
                                absl::string_view path, int fd, uint32_t tag) {
    if (gone) return Gone();
    if (path.size() >= init::kMaxPath) return absl::InvalidArgumentError("path too long");
    request.tag = tag != 0 ? tag : next_tag++;
    if (next_tag == 0) next_tag = 1;
    memcpy(request.path, path.data(), path.size());
    request.path[path.size()] = '\0';
    const absl::string_view bytes(reinterpret_cast<const char*>(&request),
                                  init::kRequestHead + path.size() + 1);
    if (tag == 0) inbox[request.tag];
    const absl::Time deadline = SteadyNow() + kAnswerTime;
    for (;;) {
      const absl::Status sent =
          fd >= 0 ? SendDatagram(socket.get(), bytes, {fd}) : SendDatagram(socket.get(), bytes);
      if (sent.ok()) return request.tag;
      if (!absl::IsUnavailable(sent) || !AwaitRoom(lock, deadline)) break;
    }
    inbox.erase(request.tag);
    return Gone();
  }

  // One request with one reply.
  absl::StatusOr<Message> Call(const init::Request& request, absl::string_view path,
                               absl::Duration patience = kAnswerTime) {
    std::unique_lock<std::mutex> lock(mutex);
    CELLBLOCK_ASSIGN_OR_RETURN(const uint32_t tag, Send(lock, request, path, -1, 0));
    return Take(lock, tag, SteadyNow() + patience);
  }

  // The next message of `tag`; the box stays open for entries and is closed with the reply.
  absl::StatusOr<Message> Take(std::unique_lock<std::mutex>& lock, uint32_t tag,
                               absl::Time deadline) {
    const bool came = Await(lock, deadline, [&] { return !inbox[tag].empty(); });
    if (!came) {
      inbox.erase(tag);
      return gone ? Gone() : absl::DeadlineExceededError("init does not answer");
    }
    Message message = std::move(inbox[tag].front());
    inbox[tag].pop_front();
    if (message.fields.kind == init::Kind::kReply) inbox.erase(tag);
    return message;
  }
};

InitClient::InitClient(UniqueFd socket) : state_(std::make_unique<State>()) {
  state_->socket = std::move(socket);
  // Only this end: init's blocks, so that it loses no report.
  fcntl(state_->socket.get(), F_SETFL, O_NONBLOCK);
}

InitClient::~InitClient() = default;

absl::Status InitClient::SignalGroup(int32_t pid, int signal) {
  init::Request request{};
  request.op = init::Op::kSignalGroup;
  request.pid = pid;
  request.number = signal;
  CELLBLOCK_ASSIGN_OR_RETURN(const Message reply, state_->Call(request, "", kSignalTime));
  return Answer("signal", "worker", reply.fields.error);
}

absl::Status InitClient::KillAll() {
  init::Request request{};
  request.op = init::Op::kKillAll;
  CELLBLOCK_ASSIGN_OR_RETURN(const Message reply, state_->Call(request, "", kSignalTime));
  return reply.fields.error == ESRCH ? absl::OkStatus() : Answer("kill", "all", reply.fields.error);
}

absl::StatusOr<UniqueFd> InitClient::OpenRead(absl::string_view path) {
  CELLBLOCK_RETURN_IF_ERROR(CheckSandboxPath(path));
  init::Request request{};
  request.op = init::Op::kOpenRead;
  CELLBLOCK_ASSIGN_OR_RETURN(Message reply, state_->Call(request, path));
  CELLBLOCK_RETURN_IF_ERROR(Answer("open", path, reply.fields.error));
  if (reply.fd_lost) return absl::ResourceExhaustedError("open: no descriptor is free");
  if (!reply.fd.valid()) return absl::InternalError("init sent no descriptor");
  return std::move(reply.fd);
}

absl::StatusOr<FileListing> InitClient::List(absl::string_view path, bool recursive,
                                             int64_t max_entries) {
  if (!path.empty()) CELLBLOCK_RETURN_IF_ERROR(CheckSandboxPath(path));
  init::Request request{};
  request.op = init::Op::kList;
  request.flags = recursive ? init::kRecursive : 0;
  request.number = max_entries;
  std::unique_lock<std::mutex> lock(state_->mutex);
  CELLBLOCK_ASSIGN_OR_RETURN(const uint32_t tag, state_->Send(lock, request, path, -1, 0));
  const absl::Time deadline = SteadyNow() + kAnswerTime;
  FileListing listing;
  for (;;) {
    CELLBLOCK_ASSIGN_OR_RETURN(const Message message, state_->Take(lock, tag, deadline));
    if (message.fields.kind == init::Kind::kEntry) {
      if (static_cast<int64_t>(listing.entries.size()) < max_entries) {
        listing.entries.push_back(ToEntry(message));
      }
      continue;
    }
    const int error = message.fields.error;
    if (error != ENAMETOOLONG) CELLBLOCK_RETURN_IF_ERROR(Answer("list", path, error));
    listing.truncated = message.fields.value != 0 || error == ENAMETOOLONG;
    return listing;
  }
}

absl::Status InitClient::Remove(absl::string_view path, bool recursive) {
  CELLBLOCK_RETURN_IF_ERROR(CheckSandboxPath(path));
  init::Request request{};
  request.op = init::Op::kRemove;
  request.flags = recursive ? init::kRecursive : 0;
  const absl::StatusOr<Message> reply = state_->Call(request, path);
  ++state_->writes;  // in part, if not whole
  CELLBLOCK_RETURN_IF_ERROR(reply.status());
  return Answer("remove", path, reply->fields.error);
}

absl::StatusOr<int64_t> InitClient::DiskBytesUsed() {
  init::Request request{};
  request.op = init::Op::kUsage;
  CELLBLOCK_ASSIGN_OR_RETURN(const Message reply, state_->Call(request, "", kUsageTime));
  CELLBLOCK_RETURN_IF_ERROR(Answer("statfs", "work folder", reply.fields.error));
  return reply.fields.value;
}

struct InitClient::Upload::State {
  InitClient::State* client = nullptr;
  uint32_t tag = 0;
  UniqueFd pipe;
  std::string path;
  int64_t size = -1;
  bool settled = false;

  absl::Status Settle(init::Op op) {
    settled = true;
    pipe.reset();
    init::Request request{};
    request.op = op;
    request.number = size;
    std::unique_lock<std::mutex> lock(client->mutex);
    // An upload that failed has been answered already; then this finds no slot and says nothing.
    CELLBLOCK_RETURN_IF_ERROR(client->Send(lock, request, "", -1, tag).status());
    const absl::StatusOr<Message> reply = client->Take(lock, tag, SteadyNow() + kAnswerTime);
    ++client->writes;
    CELLBLOCK_RETURN_IF_ERROR(reply.status());
    return Answer("upload", path, reply->fields.error);
  }
};

absl::StatusOr<std::unique_ptr<InitClient::Upload>> InitClient::StartUpload(absl::string_view path,
                                                                            uint32_t mode,
                                                                            int64_t size) {
  CELLBLOCK_RETURN_IF_ERROR(CheckSandboxPath(path));
  CELLBLOCK_ASSIGN_OR_RETURN(auto pipe, Pipe());
  // Only init's end must not block: it serves others meanwhile.
  if (fcntl(pipe.first.get(), F_SETFL, O_NONBLOCK) != 0) {
    return ErrnoStatus("fcntl", "upload pipe", errno);
  }
  fcntl(pipe.second.get(), F_SETPIPE_SZ, 1 << 20);  // fewer switches; the default works too
  init::Request request{};
  request.op = init::Op::kUpload;
  request.mode = mode;
  std::unique_lock<std::mutex> lock(state_->mutex);
  CELLBLOCK_ASSIGN_OR_RETURN(const uint32_t tag,
                             state_->Send(lock, request, path, pipe.first.get(), 0));
  std::unique_ptr<Upload> upload(new Upload);
  upload->state_ = std::make_unique<Upload::State>();
  upload->state_->client = state_.get();
  upload->state_->tag = tag;
  upload->state_->pipe = std::move(pipe.second);
  upload->state_->path = std::string(path);
  upload->state_->size = size;
  return upload;
}

InitClient::Upload::~Upload() {
  if (!state_->settled) state_->Settle(init::Op::kUploadAbort).IgnoreError();
}

int InitClient::Upload::pipe() const {
  return state_->pipe.get();
}

absl::Status InitClient::Upload::Finish() {
  return state_->Settle(init::Op::kUploadCommit);
}

int64_t InitClient::writes() const {
  return state_->writes;
}

int InitClient::fd() const {
  return state_->socket.get();
}

void InitClient::TakeReports() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (state_->reading || state_->gone) return;
  state_->reading = true;
  lock.unlock();
  state_->ReadAvailable();
  lock.lock();
  state_->reading = false;
  state_->changed.notify_all();
}

std::optional<WaitReport> InitClient::AwaitExit(int32_t pid, absl::Time deadline) {
  std::unique_lock<std::mutex> lock(state_->mutex);
  std::deque<WaitReport>& exits = state_->exits;
  const auto find = [&] {
    return std::find_if(exits.begin(), exits.end(),
                        [pid](const WaitReport& report) { return report.pid == pid; });
  };
  if (!state_->Await(lock, deadline, [&] { return find() != exits.end(); })) return std::nullopt;
  const auto found = find();
  const WaitReport report = *found;
  exits.erase(found);
  return report;
}

}  // namespace cellblock
