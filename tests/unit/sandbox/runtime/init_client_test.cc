#include "sandbox/runtime/init_client.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/runtime/fake_init.h"

namespace cellblock {
namespace {

using init::Op;
using init::Request;

TEST_CASE("requests carry what was asked") {
  std::mutex mutex;
  std::vector<Request> seen;
  FakeInit fake([&](FakeInit& init, const Request& request, UniqueFd) {
    const std::lock_guard<std::mutex> lock(mutex);
    seen.push_back(request);
    init.Reply(request.tag, 0);
  });
  InitClient client(fake.TakeClientEnd());
  CHECK(client.SignalGroup(7, SIGINT).ok());
  CHECK(client.KillAll().ok());
  CHECK(client.Remove("a/b", true).ok());
  CHECK(client.List("", false, 3).ok());
  const std::lock_guard<std::mutex> lock(mutex);
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].op == Op::kSignalGroup);
  CHECK(seen[0].pid == 7);
  CHECK(seen[0].number == SIGINT);
  CHECK(seen[1].op == Op::kKillAll);
  CHECK(seen[2].op == Op::kRemove);
  CHECK(seen[2].flags == init::kRecursive);
  CHECK(std::string(seen[2].path) == "a/b");
  CHECK(seen[3].op == Op::kList);
  CHECK(seen[3].number == 3);
  CHECK(std::string(seen[3].path).empty());
}

TEST_CASE("bad paths do not reach init") {
  std::atomic<int> requests = 0;
  FakeInit fake([&](FakeInit& init, const Request& request, UniqueFd) {
    ++requests;
    init.Reply(request.tag, 0);
  });
  InitClient client(fake.TakeClientEnd());
  for (const char* path : {"../x", "/x", "a//b"}) {
    CHECK(absl::IsInvalidArgument(client.OpenRead(path).status()));
    CHECK(absl::IsInvalidArgument(client.List(path, false, 1).status()));
    CHECK(absl::IsInvalidArgument(client.Remove(path, false)));
    CHECK(absl::IsInvalidArgument(client.StartUpload(path, 0644, -1).status()));
  }
  CHECK(requests == 0);
}

TEST_CASE("errors keep their meaning and name the path") {
  const std::vector<std::pair<int, absl::StatusCode>> table = {
      {ENOENT, absl::StatusCode::kNotFound},
      {ENOTEMPTY, absl::StatusCode::kFailedPrecondition},
      {EISDIR, absl::StatusCode::kFailedPrecondition},
      {ENOSPC, absl::StatusCode::kResourceExhausted},
      {EDQUOT, absl::StatusCode::kResourceExhausted},
      {EMFILE, absl::StatusCode::kResourceExhausted},
      {EACCES, absl::StatusCode::kPermissionDenied},
      {EXDEV, absl::StatusCode::kPermissionDenied},
      {ELOOP, absl::StatusCode::kPermissionDenied}};
  std::atomic<int> error = 0;
  FakeInit fake(
      [&](FakeInit& init, const Request& request, UniqueFd) { init.Reply(request.tag, error); });
  InitClient client(fake.TakeClientEnd());
  for (const auto& [number, code] : table) {
    error = number;
    for (const absl::Status& status :
         {client.Remove("some\nname", false), client.OpenRead("some\nname").status(),
          client.List("some\nname", false, 1).status()}) {
      CHECK(status.code() == code);
      CHECK(std::string(status.message()).find("some\\nname") != std::string::npos);
    }
  }
}

TEST_CASE("a descriptor comes with its reply") {
  FakeInit fake([](FakeInit& init, const Request& request, UniqueFd) {
    const UniqueFd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    init.Reply(request.tag, 0, 0, fd.get());
  });
  InitClient client(fake.TakeClientEnd());
  const auto fd = client.OpenRead("a");
  REQUIRE(fd.ok());
  struct stat status;
  REQUIRE(fstat(fd->get(), &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
  CHECK((fcntl(fd->get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a reply without its descriptor is an error, not a crash") {
  FakeInit fake(
      [](FakeInit& init, const Request& request, UniqueFd) { init.Reply(request.tag, 0); });
  InitClient client(fake.TakeClientEnd());
  CHECK(absl::IsInternal(client.OpenRead("a").status()));
}

TEST_CASE("listings hold what init said, and no more than was asked for") {
  FakeInit fake([](FakeInit& init, const Request& request, UniqueFd) {
    init.Entry(request.tag, "a", init::EntryType::kDirectory, 0);
    init.Entry(request.tag, "a/\xff", init::EntryType::kRegular, 12);
    init.Entry(request.tag, "l", init::EntryType::kSymlink, 3);
    init.Entry(request.tag, "too many", init::EntryType::kOther, 3);
    init.Reply(request.tag, 0, 1);
  });
  InitClient client(fake.TakeClientEnd());
  const auto listing = client.List("", true, 3);
  REQUIRE(listing.ok());
  CHECK(listing->truncated);
  REQUIRE(listing->entries.size() == 3);
  CHECK(listing->entries[0].type == EntryType::kDirectory);
  const FileEntry& file = listing->entries[1];
  CHECK(file.path == "a/\xff");
  CHECK(file.type == EntryType::kRegular);
  CHECK(file.size == 12);
  CHECK(file.inode == 42);
  CHECK(file.mode == 0640);
  CHECK(file.ctime_ns == 7);
  CHECK(file.modified == absl::FromUnixMillis(1500));
  CHECK(listing->entries[2].type == EntryType::kSymlink);
}

TEST_CASE("answers out of order reach who asked, also from many threads") {
  // Holds four requests back and answers them the wrong way round.
  std::vector<Request> held;
  FakeInit fake([&](FakeInit& init, const Request& request, UniqueFd) {
    held.push_back(request);
    if (held.size() < 4) return;
    for (; !held.empty(); held.pop_back()) {
      init.Entry(held.back().tag, held.back().path, init::EntryType::kRegular, 1);
      init.Wait(99, 0);      // between other things
      init.Reply(12345, 0);  // of no request
      init.Reply(held.back().tag, 0);
    }
  });
  InitClient client(fake.TakeClientEnd());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        const std::string name = absl::StrCat("f", i, ".", round);
        const auto listing = client.List(name, false, 10);
        if (listing.ok() && listing->entries.size() == 1 && listing->entries[0].path == name) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 200);
}

TEST_CASE("reports of ended children wait until they are asked for") {
  FakeInit fake([](FakeInit& init, const Request& request, UniqueFd) {
    init.Wait(5, 9);
    init.Wait(6, 3 << 8);
    init.Reply(request.tag, 0);
  });
  InitClient client(fake.TakeClientEnd());
  REQUIRE(client.KillAll().ok());
  const absl::Time soon = SteadyNow() + absl::Seconds(10);
  const auto six = client.AwaitExit(6, soon);
  REQUIRE(six.has_value());
  CHECK(six->status == 3 << 8);
  CHECK(six->cpu == absl::Seconds(2));
  CHECK(six->peak_rss_bytes == 3 * 1024);
  CHECK(client.AwaitExit(5, soon).has_value());
  CHECK_FALSE(client.AwaitExit(5, SteadyNow()).has_value());  // told once
  CHECK_FALSE(client.AwaitExit(7, SteadyNow() + absl::Milliseconds(30)).has_value());
}

TEST_CASE("reports that nobody asks for do not pile up") {
  FakeInit fake([](FakeInit& init, const Request& request, UniqueFd) {
    for (int pid = 1; pid <= 1000; ++pid) init.Wait(pid, 0);
    init.Reply(request.tag, 0);
  });
  InitClient client(fake.TakeClientEnd());
  REQUIRE(client.KillAll().ok());
  CHECK_FALSE(client.AwaitExit(1, SteadyNow()).has_value());
  CHECK(client.AwaitExit(1000, SteadyNow() + absl::Seconds(5)).has_value());
}

TEST_CASE("an init that dies wakes all who wait") {
  std::atomic<int> requests = 0;
  FakeInit fake([&](FakeInit& init, const Request&, UniqueFd) {
    if (++requests == 2) init.HangUp();
  });
  InitClient client(fake.TakeClientEnd());
  absl::Status other;
  std::thread thread([&] { other = client.Remove("a", false); });
  const auto listing = client.List("", true, 10);
  thread.join();
  CHECK(absl::IsUnavailable(listing.status()));
  CHECK(absl::IsUnavailable(other));
  CHECK(absl::IsUnavailable(client.KillAll()));
  CHECK_FALSE(client.AwaitExit(1, absl::InfiniteFuture()).has_value());
}

TEST_CASE("malformed messages are no answers") {
  FakeInit fake([](FakeInit& init, const Request& request, UniqueFd) {
    init::Message message{};
    message.kind = static_cast<init::Kind>(77);
    message.tag = 999;
    init.Send(message);
    init.Reply(request.tag, 0);
  });
  InitClient client(fake.TakeClientEnd());
  CHECK(client.KillAll().ok());
}

// Serves one upload as init does: copies, and answers after the commit or the abort.
struct UploadEnd {
  std::string data;
  Op last = Op::kUpload;
  int64_t promised = 0;
  int error = 0;
  UniqueFd pipe;

  void Serve(FakeInit& init, const Request& request, UniqueFd fd) {
    last = request.op;
    if (request.op == Op::kUpload) {
      pipe = std::move(fd);
      return;
    }
    promised = request.number;
    char buffer[4096];
    fcntl(pipe.get(), F_SETFL, 0);
    for (ssize_t count; (count = read(pipe.get(), buffer, sizeof buffer)) > 0;) {
      data.append(buffer, static_cast<size_t>(count));
    }
    init.Reply(request.tag, request.op == Op::kUploadAbort ? ECANCELED : error,
               static_cast<int64_t>(data.size()));
  }
};

TEST_CASE("an upload is a pipe and a commit") {
  UploadEnd end;
  FakeInit fake([&](FakeInit& init, const Request& request, UniqueFd fd) {
    end.Serve(init, request, std::move(fd));
  });
  InitClient client(fake.TakeClientEnd());
  auto upload = client.StartUpload("dir/file", 0644, -1);
  REQUIRE(upload.ok());
  REQUIRE(WriteAll((*upload)->pipe(), "some bytes").ok());
  CHECK((*upload)->Finish().ok());
  upload->reset();
  CHECK(end.data == "some bytes");
  CHECK(end.last == Op::kUploadCommit);
}

TEST_CASE("an upload that is dropped is aborted") {
  UploadEnd end;
  FakeInit fake([&](FakeInit& init, const Request& request, UniqueFd fd) {
    end.Serve(init, request, std::move(fd));
  });
  InitClient client(fake.TakeClientEnd());
  auto upload = client.StartUpload("file", 0644, 100);
  REQUIRE(upload.ok());
  REQUIRE(WriteAll((*upload)->pipe(), "half").ok());
  upload->reset();
  CHECK(end.last == Op::kUploadAbort);
}

TEST_CASE("what goes wrong with an upload is told by Finish") {
  UploadEnd end;
  end.error = ENOSPC;
  FakeInit fake([&](FakeInit& init, const Request& request, UniqueFd fd) {
    end.Serve(init, request, std::move(fd));
  });
  InitClient client(fake.TakeClientEnd());
  auto upload = client.StartUpload("file", 0644, -1);
  REQUIRE(upload.ok());
  CHECK(absl::IsResourceExhausted((*upload)->Finish()));
}

TEST_CASE("many requests that init does not take yet do not lock out its answers") {
  // Long paths fill the socket; a listing fills the other direction meanwhile.
  FakeInit fake([](FakeInit& init, const Request& request, UniqueFd) {
    for (int i = 0; i < 100; ++i) {
      init.Entry(request.tag, std::string(2000, 'e'), init::EntryType::kRegular, 1);
    }
    init.Reply(request.tag, 0);
  });
  InitClient client(fake.TakeClientEnd());
  std::string path;
  while (path.size() < 4000) path += "dd/";
  path += "d";
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const auto listing = client.List(path, false, 1000);
        if (listing.ok() && listing->entries.size() == 100) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 200);
}

}  // namespace
}  // namespace cellblock
