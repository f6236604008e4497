#include "tools/client/sandbox_client.h"

#include <fcntl.h>

#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/unit/tools/fake_runtime.h"
#include "tools/client/random_id.h"
#include "tools/client/server_error.h"

namespace cellblock {
namespace {

const grpc::Status kLost(grpc::StatusCode::UNAVAILABLE, "connection lost");

std::unique_ptr<SandboxClient> Connect(const FakeRuntime& server) {
  ClientOptions options;
  options.retry.first_delay = absl::Milliseconds(1);
  options.retry.longest_delay = absl::Milliseconds(2);
  auto client = SandboxClient::Connect(server.address(), options);
  REQUIRE(client.ok());
  return *std::move(client);
}

v1::ExecuteRequest Request() {
  v1::ExecuteRequest request;
  request.set_session_id("session");
  request.set_execution_id("run");
  return request;
}

struct Ran {
  absl::Status status;
  std::vector<int64_t> sequences;
  v1::CellResult result;
};

Ran Execute(SandboxClient* client) {
  Ran ran;
  ran.status = client->Execute(
      Request(),
      [&](const v1::ExecuteEvent& event) {
        ran.sequences.push_back(event.sequence());
        return true;
      },
      &ran.result);
  return ran;
}

TEST_CASE("a server that nobody serves is told in time") {
  ClientOptions options;
  options.connect_timeout = absl::Milliseconds(50);
  CHECK(absl::IsUnavailable(SandboxClient::Connect("unix:/nonexistent/socket", options).status()));
}

TEST_CASE("a repeatable call is made again after a lost connection") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.FailNext(kLost);
  server.FailNext(kLost);
  v1::ServerInfo info;
  CHECK(client->GetServerInfo(&info).ok());
  CHECK(info.version() == "fake");
}

TEST_CASE("repeating ends after the policy's number of attempts") {
  FakeRuntime server;
  const auto client = Connect(server);
  for (int i = 0; i < 5; ++i) server.FailNext(kLost);
  v1::ServerInfo info;
  CHECK(absl::IsUnavailable(client->GetServerInfo(&info)));
}

TEST_CASE("creating a session again after a lost answer carries the same key") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.FailNext(kLost);
  v1::Session session;
  REQUIRE(client->CreateSession(v1::CreateSessionRequest(), &session).ok());
  const auto created = server.created();
  REQUIRE(created.size() == 2);
  CHECK_FALSE(created[0].idempotency_key().empty());
  CHECK(created[0].idempotency_key() == created[1].idempotency_key());
}

TEST_CASE("a call that must not have its effect twice is not repeated") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.FailNext(kLost);
  CHECK(absl::IsUnavailable(client->Interrupt("session", "run").status()));
  CHECK(server.interrupts() == 1);
}

TEST_CASE("what a server says about an error arrives, and retryable is heeded") {
  FakeRuntime server;
  const auto client = Connect(server);
  v1::ErrorInfo info;
  info.set_reason("NO_SUCH_POLICY");
  info.set_object("strict");
  info.set_remedy("name one of: python");
  info.set_errno_value(2);
  server.FailNext(DetailedError(grpc::StatusCode::INVALID_ARGUMENT, "no policy", info));
  v1::Session session;
  const absl::Status status = client->CreateSession(v1::CreateSessionRequest(), &session);
  CHECK(absl::IsInvalidArgument(status));
  const ServerError error = ServerErrorOf(status);
  CHECK(error.from_server);
  CHECK(error.reason == "NO_SUCH_POLICY");
  CHECK(error.object == "strict");
  CHECK(error.errno_value == 2);
  info.set_retryable(true);
  server.FailNext(DetailedError(grpc::StatusCode::RESOURCE_EXHAUSTED, "busy", info));
  v1::WipeReceipt receipt;
  CHECK(client->DeleteSession("session", &receipt).ok());
}

TEST_CASE("details that are no message of ours leave the plain status") {
  const grpc::Status status(grpc::StatusCode::INTERNAL, "broken", "\xff\xff garbage");
  CHECK(absl::IsInternal(FromGrpcStatus(status)));
  CHECK_FALSE(ServerErrorOf(FromGrpcStatus(status)).from_server);
}

TEST_CASE("a lost stream is joined again after the last event, each event once") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.Play({{OutputEvent(1, v1::STDOUT, "a"), OutputEvent(2, v1::STDOUT, "b")}, kLost});
  // The server may send again what was seen.
  server.Play({{OutputEvent(2, v1::STDOUT, "b"), OutputEvent(3, v1::STDOUT, "c")}, kLost});
  server.Play({{ResultEvent(4, v1::EXCEPTION)}, grpc::Status::OK});
  const Ran ran = Execute(client.get());
  CHECK(ran.status.ok());
  CHECK(ran.sequences == std::vector<int64_t>{1, 2, 3, 4});
  CHECK(ran.result.outcome() == v1::EXCEPTION);
  CHECK(server.executed().size() == 1);
  const auto attached = server.attached();
  REQUIRE(attached.size() == 2);
  CHECK(attached[0].after_sequence() == 2);
  CHECK(attached[0].execution_id() == "run");
  CHECK(attached[1].after_sequence() == 3);
}

TEST_CASE("a stream lost before its first event is asked for again by the same id") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.Play({{}, kLost});
  CHECK(Execute(client.get()).status.ok());
  const auto executed = server.executed();
  REQUIRE(executed.size() == 2);
  CHECK(executed[0].execution_id() == executed[1].execution_id());
}

TEST_CASE("a stream that ends without a result is an error, not success") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.Play({{OutputEvent(1, v1::STDOUT, "a")}, grpc::Status::OK});
  CHECK(absl::IsInternal(Execute(client.get()).status));
}

TEST_CASE("a sink that wants no more ends the call") {
  FakeRuntime server;
  const auto client = Connect(server);
  server.Play(
      {{OutputEvent(1, v1::STDOUT, "a"), OutputEvent(2, v1::STDOUT, "b"), ResultEvent(3, v1::OK)},
       grpc::Status::OK});
  v1::CellResult result;
  int events = 0;
  const auto status = client->Execute(
      Request(), [&](const v1::ExecuteEvent&) { return ++events < 1; }, &result);
  CHECK(absl::IsCancelled(status));
  CHECK(events == 1);
}

TEST_CASE("files larger than one message go through whole") {
  FakeRuntime server;
  const auto client = Connect(server);
  const TempDir dir;
  const UniqueFd file(open((dir.path() + "/f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const std::string data(3 * 1024 * 1024 + 7, 'x');
  REQUIRE(WriteAll(file.get(), data).ok());
  v1::FileInfo info;
  server.FailNext(kLost);
  REQUIRE(client->UploadFile("session", "name", 0644, file.get(), &info).ok());
  CHECK(server.files["name"] == data);
  const UniqueFd copy(open((dir.path() + "/g").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(client->DownloadFile("session", "name", copy.get(), &info).ok());
  CHECK(*ReadFile(dir.path() + "/g") == data);
  CHECK(absl::IsNotFound(client->DownloadFile("session", "none", copy.get(), &info)));
}

TEST_CASE("client ids are long and differ") {
  CHECK(MakeClientId().size() == 32);
  CHECK(MakeClientId() != MakeClientId());
}

}  // namespace
}  // namespace cellblock
