#include "sandbox/runtime/launcher_client.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <mutex>
#include <thread>

#include "internal/launcher.pb.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"

namespace cellblock {
namespace {

// Answers each request as the script says; `fds` descriptors are attached.
class ScriptedLauncher {
 public:
  struct Answer {
    internal::LauncherReply reply;
    int fds = 0;
    bool silent = false, hang_up = false;
  };
  using Script = std::function<Answer(const internal::LauncherRequest&)>;

  explicit ScriptedLauncher(Script script) : script_(std::move(script)) {
    auto sockets = SocketPair();
    if (!sockets.ok()) abort();
    client_ = std::move(sockets->first);
    socket_ = std::move(sockets->second);
    thread_ = std::thread([this] { Serve(); });
  }
  ~ScriptedLauncher() { thread_.join(); }  // after the client has gone

  UniqueFd TakeClientEnd() { return std::move(client_); }

  void Event(internal::LauncherEvent::Kind kind, uint64_t sandbox, int64_t bytes) {
    internal::LauncherReply reply;
    reply.mutable_event()->set_kind(kind);
    reply.mutable_event()->set_sandbox(sandbox);
    reply.mutable_event()->set_bytes(bytes);
    SendDatagram(socket_.get(), reply.SerializeAsString()).IgnoreError();
  }

 private:
  void Serve() {
    const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    for (;;) {
      const auto datagram = ReceiveDatagram(socket_.get(), 1 << 20, 0);
      internal::LauncherRequest request;
      if (!datagram.ok() || datagram->end || !request.ParseFromString(datagram->data)) return;
      Answer answer = script_(request);
      if (answer.hang_up) {
        socket_.reset();
        return;
      }
      if (answer.silent) continue;
      answer.reply.set_id(request.id());
      const std::vector<int> fds(static_cast<size_t>(answer.fds), null.get());
      SendDatagram(socket_.get(), answer.reply.SerializeAsString(), fds).IgnoreError();
    }
  }

  const Script script_;
  UniqueFd client_, socket_;
  std::thread thread_;
};

using Answer = ScriptedLauncher::Answer;

TEST_CASE("hello is passed on") {
  ScriptedLauncher launcher([](const internal::LauncherRequest& request) {
    Answer answer;
    if (!request.has_hello()) return answer;
    auto* hello = answer.reply.mutable_hello();
    hello->set_run_id("r1");
    hello->set_kernel_release("6.1");
    hello->set_leftovers_removed(3);
    auto* image = hello->add_images();
    image->set_name("host");
    image->set_digest("abc");
    auto* facility = hello->add_facilities();
    facility->set_name("memory");
    facility->set_enforcement(1);
    facility->set_gap("pipes");
    return answer;
  });
  LauncherClient client(launcher.TakeClientEnd(), nullptr);
  const auto report = client.Hello();
  REQUIRE(report.ok());
  CHECK(report->run_id == "r1");
  CHECK(report->kernel_release == "6.1");
  CHECK(report->leftovers_removed == 3);
  REQUIRE(report->images.size() == 1);
  CHECK(report->images[0] == std::pair<std::string, std::string>("host", "abc"));
  REQUIRE(report->facilities.size() == 1);
  CHECK(report->facilities[0].gap == "pipes");
}

TEST_CASE("a sandbox and a worker are their descriptors") {
  std::atomic<bool> cgroup = false;
  ScriptedLauncher launcher([&](const internal::LauncherRequest& request) {
    Answer answer;
    if (request.has_create()) {
      auto* create = answer.reply.mutable_create();
      create->set_sandbox(11);
      create->set_has_cgroup(cgroup);
      create->set_image_digest(request.create().image() + "!");
      answer.fds = cgroup ? 4 : 2;
    } else if (request.has_spawn()) {
      answer.reply.mutable_spawn()->set_pid_in_sandbox(request.spawn().incarnation());
      answer.reply.mutable_spawn()->set_has_cgroup(cgroup);
      answer.fds = cgroup ? 6 : 4;
      if (request.spawn().environment().at("A") != "b") answer.fds = 0;
    }
    return answer;
  });
  LauncherClient client(launcher.TakeClientEnd(), nullptr);
  for (const bool with : {false, true}) {
    cgroup = with;
    SandboxSpec spec;
    spec.image = "host";
    const auto sandbox = client.CreateSandbox(spec);
    REQUIRE(sandbox.ok());
    CHECK(sandbox->id == 11);
    CHECK(sandbox->image_digest == "host!");
    CHECK(sandbox->init_pidfd.valid());
    CHECK(sandbox->init_socket.valid());
    CHECK(sandbox->cgroup_dir.valid() == with);
    CHECK(sandbox->cgroup_kill.valid() == with);
    const auto worker = client.SpawnWorker(11, 4, {{"A", "b"}});
    REQUIRE(worker.ok());
    CHECK(worker->pid == 4);
    CHECK(worker->stderr_pipe.valid());
    CHECK(worker->cgroup_kill.valid() == with);
  }
}

TEST_CASE("replies with the wrong descriptors or of the wrong kind are refused") {
  Answer answer;
  ScriptedLauncher launcher([&](const internal::LauncherRequest&) { return answer; });
  LauncherClient client(launcher.TakeClientEnd(), nullptr);
  answer.reply.mutable_create()->set_sandbox(1);
  for (const int fds : {0, 1, 3, 4}) {
    answer.fds = fds;
    CHECK(absl::IsInternal(client.CreateSandbox({}).status()));
  }
  answer.fds = 2;
  CHECK(client.CreateSandbox({}).ok());
  CHECK(absl::IsInternal(client.SpawnWorker(1, 1, {}).status()));
  CHECK(absl::IsInternal(client.DestroySandbox(1).status()));
  CHECK(absl::IsInternal(client.Hello().status()));
}

TEST_CASE("a failed step becomes a status with its payload") {
  internal::SetupFailure failure;
  ScriptedLauncher launcher([&](const internal::LauncherRequest&) {
    Answer answer;
    *answer.reply.mutable_failure() = failure;
    return answer;
  });
  LauncherClient client(launcher.TakeClientEnd(), nullptr);
  failure.set_step("mount proc");
  failure.set_object("/proc");
  failure.set_errno_value(EPERM);
  failure.set_message("mount proc on /proc: Operation not permitted");
  const absl::Status status = client.CreateSandbox({}).status();
  CHECK(absl::IsInternal(status));
  CHECK(status.message() == failure.message());
  const auto payload = status.GetPayload(kSetupFailurePayload);
  REQUIRE(payload.has_value());
  internal::SetupFailure copy;
  REQUIRE(copy.ParseFromString(std::string(*payload)));
  CHECK(copy.step() == "mount proc");
  CHECK(copy.errno_value() == EPERM);

  failure.set_exhausted(true);
  CHECK(absl::IsResourceExhausted(client.SpawnWorker(1, 1, {}).status()));
  failure.set_invalid_request(true);
  CHECK(absl::IsInvalidArgument(client.SpawnWorker(1, 1, {}).status()));
}

TEST_CASE("calls from many threads each get their own reply") {
  ScriptedLauncher launcher([](const internal::LauncherRequest& request) {
    Answer answer;
    answer.reply.mutable_destroy()->set_processes_left(
        static_cast<int32_t>(request.destroy().sandbox()));
    return answer;
  });
  std::atomic<int> right = 0;
  {
    LauncherClient client(launcher.TakeClientEnd(), nullptr);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 100; ++round) {
          const auto report = client.DestroySandbox(static_cast<uint64_t>(i * 1000 + round));
          if (report.ok() && report->processes_left == i * 1000 + round) ++right;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(right == 800);
}

TEST_CASE("news comes between replies, and the end of the launcher is news") {
  std::mutex mutex;
  std::vector<LauncherNews> news;
  ScriptedLauncher* self = nullptr;
  ScriptedLauncher launcher([&](const internal::LauncherRequest& request) {
    Answer answer;
    if (request.has_hello()) {
      self->Event(internal::LauncherEvent::MEMORY_WATCHDOG, 5, 1000);
      self->Event(internal::LauncherEvent::INIT_EXITED, 6, 0);
      answer.reply.mutable_hello();
    } else {
      answer.hang_up = true;
    }
    return answer;
  });
  self = &launcher;
  {
    LauncherClient client(launcher.TakeClientEnd(), [&](const LauncherNews& item) {
      const std::lock_guard<std::mutex> lock(mutex);
      news.push_back(item);
    });
    CHECK(client.Hello().ok());
    CHECK(absl::IsUnavailable(client.KillCell(1)));
    CHECK(absl::IsUnavailable(client.KillSandbox(1)));
  }
  REQUIRE(news.size() == 3);
  CHECK(news[0].kind == LauncherNews::Kind::kMemoryWatchdog);
  CHECK(news[0].sandbox == 5);
  CHECK(news[0].bytes == 1000);
  CHECK(news[1].kind == LauncherNews::Kind::kInitExited);
  CHECK(news[2].kind == LauncherNews::Kind::kLauncherGone);
}

// A program that plays the launcher: a shell script with what it needs.
std::string Program(const TempDir& dir, const std::string& script) {
  const std::string path = dir.path() + "/launcher";
  {
    std::ofstream file(path);
    file << "#!/bin/sh\n" << script;
  }
  chmod(path.c_str(), 0755);
  return path;
}

TEST_CASE("the launcher is started with its socket and its configuration, and nothing else") {
  const TempDir dir;
  const UniqueFd stray(fcntl(STDERR_FILENO, F_DUPFD, 20));  // not close-on-exec
  const std::string path =
      Program(dir, "{ cat <&4; ls /proc/self/fd | tr '\\n' ' '; env; } 4<&4 | head -c 4000 >&3\n");
  const auto socket = StartLauncher(path, "some: 'text'\n");
  REQUIRE(socket.ok());
  const auto datagram = ReceiveDatagram(socket->get(), 8192, 0);
  REQUIRE(datagram.ok());
  CHECK(datagram->data.find("some: 'text'") != std::string::npos);
  CHECK(datagram->data.find(" 20 ") == std::string::npos);
  CHECK(datagram->data.find("HOME=") == std::string::npos);
}

TEST_CASE("a launcher that cannot be started says why") {
  const TempDir dir;
  CHECK(absl::IsNotFound(StartLauncher(dir.path() + "/none", "").status()));
  const std::string path = dir.path() + "/not-a-program";
  std::ofstream(path) << "x";
  CHECK_FALSE(StartLauncher(path, "").ok());
}

TEST_CASE("a launcher that dies at once is told by the first call") {
  const TempDir dir;
  auto socket = StartLauncher(Program(dir, "exit 3\n"), "");
  if (!socket.ok()) {
    CHECK(absl::IsUnavailable(socket.status()));
    return;
  }
  LauncherClient client(*std::move(socket), nullptr);
  CHECK(absl::IsUnavailable(client.Hello().status()));
}

}  // namespace
}  // namespace cellblock
