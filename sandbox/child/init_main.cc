// cellblock-init: PID 1 of a sandbox. Static, one thread, no heap, runs as the cell's uid without
// capabilities, started from a sealed memfd with an empty environment. As PID 1 it is immune to
// signals from inside; it is not dumpable, so its memory and descriptors are closed to the cell.
//
// One poll loop: it reaps and reports wait statuses, signals the worker and serves files on the
// daemon's order, and leaves (which ends everything in the sandbox) when the launcher's lifeline or
// the daemon's socket ends.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child/init_files.h"
#include "sandbox/child/init_filter.h"
#include "sandbox/child/init_paths.h"
#include "sandbox/child/init_protocol.h"
#include "sandbox/child/init_upload.h"

namespace cellblock::init {
namespace {

constexpr int kSocket = 3;
constexpr int kLifeline = 4;
constexpr char kWorkFolder[] = "/work";

int work_folder = -1;
UploadSlot uploads[kMaxUploads];

int64_t Microseconds(const timeval& time) {
  return time.tv_sec * 1000000LL + time.tv_usec;
}

Message Reply(uint32_t tag, int error = 0) {
  Message message{};
  message.kind = Kind::kReply;
  message.tag = tag;
  message.error = error;
  return message;
}

// Reports that found no room in the socket: between two cells nobody reads it. The oldest go first
// when there are too many; they are orphans that a cell left behind.
struct Report {
  pid_t pid;
  int status;
  int64_t cpu, peak;
};
constexpr size_t kMaxReports = 1024;
Report reports[kMaxReports];
size_t first_report = 0;
size_t report_count = 0;

void Queue(const Report& report) {
  if (report_count == kMaxReports) {
    first_report = (first_report + 1) % kMaxReports;
    --report_count;
  }
  reports[(first_report + report_count++) % kMaxReports] = report;
}

void SendReports() {
  for (; report_count > 0; --report_count, first_report = (first_report + 1) % kMaxReports) {
    const Report& report = reports[first_report];
    Message message{};
    message.kind = Kind::kWait;
    message.pid = report.pid;
    message.value = report.status;
    message.value2 = report.cpu;
    message.value3 = report.peak;
    if (!TrySend(message)) return;
  }
}

void ReapAndReport() {
  for (;;) {
    int status;
    rusage usage;
    const pid_t pid = wait4(-1, &status, WNOHANG, &usage);
    if (pid <= 0) break;
    Queue({pid, status, Microseconds(usage.ru_utime) + Microseconds(usage.ru_stime),
           usage.ru_maxrss});
  }
  SendReports();
}

// Ends the upload with an answer, unless it waits for its pipe's end or the commit.
void SettleUpload(UploadSlot* slot, int error) {
  const bool complete = slot->pipe < 0 && slot->committed;
  if (error == 0 && !complete) return;
  if (error == 0) error = FinishUpload(slot);
  Message reply = Reply(slot->tag, error);
  reply.value = slot->written;
  DropUpload(slot);
  Send(reply);
}

void StartUpload(const Request& request, int pipe) {
  if (pipe < 0) return Send(Reply(request.tag, EBADF));
  for (UploadSlot& slot : uploads) {
    if (slot.tag != 0) continue;
    const int error = BeginUpload(work_folder, request, pipe, &slot);
    if (error != 0) Send(Reply(request.tag, error));
    return;
  }
  close(pipe);
  Send(Reply(request.tag, EAGAIN));
}

// Commit and abort have no answer of their own: the upload's is sent.
void EndUpload(const Request& request, bool commit) {
  for (UploadSlot& slot : uploads) {
    if (slot.tag != request.tag) continue;
    slot.committed = commit;
    slot.promised = request.number;
    return SettleUpload(&slot, commit ? 0 : ECANCELED);
  }
}

void OpenForReading(const Request& request) {
  constexpr uint64_t kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
  const int fd = OpenBeneath(work_folder, request.path, kFlags);
  Send(Reply(request.tag, fd < 0 ? errno : 0), fd);
  if (fd >= 0) close(fd);
}

void Usage(const Request& request) {
  struct statfs status;
  Message reply = Reply(request.tag, fstatfs(work_folder, &status) == 0 ? 0 : errno);
  if (reply.error == 0) {
    reply.value = static_cast<int64_t>(status.f_blocks - status.f_bfree) * status.f_bsize;
    reply.value2 = static_cast<int64_t>(status.f_files - status.f_ffree);
  }
  Send(reply);
}

void List(const Request& request) {
  Message reply = Reply(request.tag);
  ListFolder(work_folder, request, &reply);
  Send(reply);
}

void Signal(uint32_t tag, pid_t target, int number) {
  Send(Reply(tag, kill(target, number) == 0 ? 0 : errno));
}

void Serve(const Request& request, int fd) {
  if (request.op != Op::kUpload && fd >= 0) close(fd);
  switch (request.op) {
    case Op::kSignalGroup:
      if (request.pid <= 1) return Send(Reply(request.tag, EINVAL));
      return Signal(request.tag, -request.pid, static_cast<int>(request.number));
    case Op::kKillAll:
      return Signal(request.tag, -1, SIGKILL);
    case Op::kOpenRead:
      return OpenForReading(request);
    case Op::kUpload:
      return StartUpload(request, fd);
    case Op::kUploadCommit:
      return EndUpload(request, true);
    case Op::kUploadAbort:
      return EndUpload(request, false);
    case Op::kList:
      return List(request);
    case Op::kRemove:
      return Send(Reply(request.tag,
                        RemovePath(work_folder, request.path, (request.flags & kRecursive) != 0)));
    case Op::kUsage:
      return Usage(request);
  }
  Send(Reply(request.tag, ENOSYS));
}

void ReceiveRequest() {
  static Request request;
  iovec part{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = recvmsg(kSocket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) _exit(0);  // the daemon is gone
  int fd = -1;
  const cmsghdr* rights = CMSG_FIRSTHDR(&message);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    memcpy(&fd, CMSG_DATA(rights), sizeof fd);
  }
  if (static_cast<size_t>(count) < kRequestHead) return;
  // The path ends where the datagram ends, whatever it holds.
  const size_t end =
      static_cast<size_t>(count) < sizeof request ? static_cast<size_t>(count) : sizeof request - 1;
  reinterpret_cast<char*>(&request)[end] = '\0';
  Serve(request, fd);
}

void ContinueUploads(const pollfd* polled) {
  for (size_t i = 0; i < kMaxUploads; ++i) {
    UploadSlot& slot = uploads[i];
    if (slot.tag == 0 || slot.pipe < 0 || polled[i].revents == 0) continue;
    SettleUpload(&slot, ContinueUpload(&slot));
  }
}

[[noreturn]] void Loop(int signals) {
  for (;;) {
    const short room = report_count > 0 ? POLLOUT : 0;
    pollfd polled[3 + kMaxUploads] = {{kSocket, static_cast<short>(POLLIN | room), 0},
                                      {kLifeline, POLLIN, 0},
                                      {signals, POLLIN, 0}};
    for (size_t i = 0; i < kMaxUploads; ++i) {
      polled[3 + i] = {uploads[i].tag != 0 ? uploads[i].pipe : -1, POLLIN, 0};
    }
    if (poll(polled, 3 + kMaxUploads, -1) < 0) continue;
    if (polled[1].revents != 0) _exit(0);  // the launcher is gone
    if (polled[2].revents != 0) {
      signalfd_siginfo information;
      if (read(signals, &information, sizeof information) > 0) ReapAndReport();
    }
    ContinueUploads(polled + 3);
    if ((polled[0].revents & POLLOUT) != 0) SendReports();
    if ((polled[0].revents & ~POLLOUT) != 0) ReceiveRequest();
  }
}

int Start() {
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return 1;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &child, nullptr) != 0) return 1;
  const int signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  work_folder = open(kWorkFolder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (signals < 0 || work_folder < 0 || LoadFilter() != 0) return 1;
  Message hello{};
  hello.kind = Kind::kHello;
  Send(hello);
  Loop(signals);
}

}  // namespace

// EAGAIN if flags ask not to wait; ends init if the daemon is gone.
static int SendWith(const Message& message, int fd, int flags) {
  const size_t size =
      message.kind == Kind::kEntry ? kMessageHead + strlen(message.path) + 1 : kMessageHead + 1;
  iovec part{const_cast<Message*>(&message), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr datagram{};
  datagram.msg_iov = &part;
  datagram.msg_iovlen = 1;
  if (fd >= 0) {
    datagram.msg_control = control;
    datagram.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&datagram);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  ssize_t count;
  do count = sendmsg(kSocket, &datagram, MSG_NOSIGNAL | flags);
  while (count < 0 && errno == EINTR);
  if (count >= 0 || errno == ETOOMANYREFS) return 0;
  if (errno != EAGAIN) _exit(0);
  return EAGAIN;
}

void Send(const Message& message, int fd) {
  SendWith(message, fd, 0);
}

bool TrySend(const Message& message) {
  return SendWith(message, -1, MSG_DONTWAIT) == 0;
}

}  // namespace cellblock::init

int main() {
  return cellblock::init::Start();
}
