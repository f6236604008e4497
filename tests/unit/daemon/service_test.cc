// Sessions and executions as a client sees them.
#include <thread>

#include "absl/time/clock.h"
#include "tests/unit/daemon/service_rig.h"

namespace cellblock {
namespace {

// Waits for what another thread is about to do.
template <typename Condition>
bool Eventually(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return false;
}

TEST_CASE("a cell's events stream in order and end with its result") {
  ServiceRig rig;
  const auto events = rig.Execute("say hello");
  CHECK(rig.last_status.ok());
  REQUIRE(events.size() == 3);
  for (size_t i = 0; i < events.size(); ++i) {
    CHECK(events[i].sequence() == static_cast<int64_t>(i) + 1);
  }
  CHECK_FALSE(events[0].started().execution_id().empty());
  CHECK(events[1].output().data() == "hello");
  CHECK(events[2].result().outcome() == v1::OK);
}

TEST_CASE("a failed cell is an OK call") {
  ServiceRig rig;
  const auto events = rig.Execute("fail");
  CHECK(rig.last_status.ok());
  CHECK(events.back().result().outcome() == v1::EXCEPTION);
  CHECK(events.back().result().error().name() == "ValueError");
}

TEST_CASE("Execute with a known id gives the same events and runs nothing") {
  ServiceRig rig;
  const auto first = rig.Execute("say one", "id-1");
  const auto again = rig.Execute("say two", "id-1");
  REQUIRE(again.size() == first.size());
  CHECK(again[1].output().data() == "one");
  CHECK(rig.record().cells == 1);
}

TEST_CASE("an execution can be attached to from any event on, and asked for") {
  ServiceRig rig;
  rig.Execute("say hello", "id-1");
  grpc::ClientContext context;
  v1::AttachExecutionRequest attach;
  attach.set_session_id(rig.session());
  attach.set_execution_id("id-1");
  attach.set_after_sequence(2);
  const auto reader = rig.stub().AttachExecution(&context, attach);
  v1::ExecuteEvent event;
  REQUIRE(reader->Read(&event));
  CHECK(event.sequence() == 3);
  CHECK_FALSE(reader->Read(&event));
  CHECK(reader->Finish().ok());

  grpc::ClientContext get_context;
  v1::GetExecutionRequest get;
  get.set_session_id(rig.session());
  get.set_execution_id("id-1");
  v1::Execution execution;
  REQUIRE(rig.stub().GetExecution(&get_context, get, &execution).ok());
  CHECK_FALSE(execution.running());
  CHECK(execution.last_sequence() == 3);
  CHECK(execution.result().outcome() == v1::OK);
}

TEST_CASE("a client that goes away cancels its cell, promptly") {
  ServiceRig rig;
  grpc::ClientContext context;
  const auto reader = rig.Start(&context, "block");
  v1::ExecuteEvent event;
  REQUIRE(reader->Read(&event));
  const absl::Time start = absl::Now();
  context.TryCancel();
  CHECK(reader->Finish().error_code() == grpc::StatusCode::CANCELLED);
  CHECK(Eventually([&] { return rig.registry().RunningCells() == 0; }));
  CHECK(rig.record().cancels == 1);
  CHECK(absl::Now() - start < absl::Seconds(5));
}

TEST_CASE("with KEEP_RUNNING the cell runs on and can be attached to again") {
  ServiceRig rig;
  v1::ExecuteRequest request;
  request.set_session_id(rig.session());
  request.set_code("block");
  request.set_execution_id("keep");
  request.set_on_disconnect(v1::KEEP_RUNNING);
  {
    grpc::ClientContext context;
    const auto reader = rig.stub().Execute(&context, request);
    v1::ExecuteEvent event;
    REQUIRE(reader->Read(&event));
    context.TryCancel();
    reader->Finish();
  }
  CHECK(rig.registry().RunningCells() == 1);
  grpc::ClientContext attach_context, interrupt_context;
  v1::AttachExecutionRequest attach;
  attach.set_session_id(rig.session());
  attach.set_execution_id("keep");
  const auto reader = rig.stub().AttachExecution(&attach_context, attach);
  v1::ExecuteEvent event;
  REQUIRE(reader->Read(&event));
  CHECK(event.sequence() == 1);
  v1::InterruptRequest interrupt;
  interrupt.set_session_id(rig.session());
  v1::InterruptResponse delivered;
  REQUIRE(rig.stub().Interrupt(&interrupt_context, interrupt, &delivered).ok());
  CHECK(delivered.delivered());
  REQUIRE(reader->Read(&event));
  CHECK(event.result().outcome() == v1::INTERRUPTED);
  CHECK(reader->Finish().ok());
}

TEST_CASE("Cancel gives the result; Interrupt of an idle session delivers nothing") {
  ServiceRig rig;
  grpc::ClientContext run_context, cancel_context, interrupt_context;
  const auto reader = rig.Start(&run_context, "block", "c1");
  v1::ExecuteEvent event;
  REQUIRE(reader->Read(&event));
  v1::CancelRequest cancel;
  cancel.set_session_id(rig.session());
  cancel.set_execution_id("c1");
  v1::CancelResponse cancelled;
  REQUIRE(rig.stub().Cancel(&cancel_context, cancel, &cancelled).ok());
  CHECK(cancelled.result().outcome() == v1::INTERRUPTED);
  v1::InterruptRequest interrupt;
  interrupt.set_session_id(rig.session());
  v1::InterruptResponse delivered;
  REQUIRE(rig.stub().Interrupt(&interrupt_context, interrupt, &delivered).ok());
  CHECK_FALSE(delivered.delivered());
}

TEST_CASE("Kill ends what runs; the session lives on with a new epoch") {
  ServiceRig rig;
  grpc::ClientContext run_context, kill_context;
  const auto reader = rig.Start(&run_context, "stubborn");
  v1::ExecuteEvent event;
  REQUIRE(reader->Read(&event));
  v1::KillRequest kill;
  kill.set_session_id(rig.session());
  v1::KillResponse killed;
  REQUIRE(rig.stub().Kill(&kill_context, kill, &killed).ok());
  REQUIRE(reader->Read(&event));
  CHECK(event.result().state() == v1::LOST);
  CHECK(rig.Execute("say x").back().result().epoch() == 2);
}

TEST_CASE("input is provided to a cell that asks, and refused to one that does not") {
  ServiceRig rig;
  grpc::ClientContext context;
  const auto reader = rig.Start(&context, "ask", "q");
  v1::ExecuteEvent event;
  while (reader->Read(&event) && !event.has_input_request()) {
  }
  v1::ProvideInputRequest input;
  input.set_session_id(rig.session());
  input.set_execution_id("q");
  input.set_text("Ada");
  v1::ProvideInputResponse none;
  grpc::ClientContext input_context, again_context;
  CHECK(rig.stub().ProvideInput(&input_context, input, &none).ok());
  REQUIRE(reader->Read(&event));
  CHECK(event.output().data() == "Ada");
  REQUIRE(reader->Read(&event));
  const grpc::Status again = rig.stub().ProvideInput(&again_context, input, &none);
  CHECK(again.error_code() == grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(ServiceRig::InfoOf(again).reason() == "NO_INPUT_WANTED");
}

TEST_CASE("unknown, malformed and foreign sessions are NOT_FOUND in every call") {
  ServiceRig rig;
  const auto foreign = rig.registry().Create(TestSpec("other"), "");
  REQUIRE(foreign.ok());
  for (const std::string& id : {std::string("nope"), std::string(300, 'x'), (*foreign)->id()}) {
    grpc::ClientContext get_context, delete_context, kill_context, execute_context;
    v1::GetSessionRequest get;
    get.set_session_id(id);
    v1::Session session;
    const grpc::Status status = rig.stub().GetSession(&get_context, get, &session);
    CHECK(status.error_code() == grpc::StatusCode::NOT_FOUND);
    CHECK(ServiceRig::InfoOf(status).reason() == "SESSION_NOT_FOUND");
    v1::DeleteSessionRequest remove;
    remove.set_session_id(id);
    v1::WipeReceipt receipt;
    CHECK(rig.stub().DeleteSession(&delete_context, remove, &receipt).error_code() ==
          grpc::StatusCode::NOT_FOUND);
    v1::KillRequest kill;
    kill.set_session_id(id);
    v1::KillResponse killed;
    CHECK(rig.stub().Kill(&kill_context, kill, &killed).error_code() ==
          grpc::StatusCode::NOT_FOUND);
    v1::ExecuteRequest execute;
    execute.set_session_id(id);
    v1::ExecuteEvent event;
    const auto reader = rig.stub().Execute(&execute_context, execute);
    CHECK_FALSE(reader->Read(&event));
    CHECK(reader->Finish().error_code() == grpc::StatusCode::NOT_FOUND);
  }
}

TEST_CASE("an unknown policy is told by name") {
  ServiceRig rig;
  grpc::ClientContext context;
  v1::CreateSessionRequest request;
  request.set_policy("nope");
  v1::Session session;
  const grpc::Status status = rig.stub().CreateSession(&context, request, &session);
  CHECK(status.error_code() == grpc::StatusCode::NOT_FOUND);
  CHECK(ServiceRig::InfoOf(status).reason() == "POLICY_NOT_FOUND");
}

TEST_CASE("deleting gives a receipt, and the session is gone") {
  ServiceRig rig;
  grpc::ClientContext context, list_context;
  v1::DeleteSessionRequest request;
  request.set_session_id(rig.session());
  v1::WipeReceipt receipt;
  REQUIRE(rig.stub().DeleteSession(&context, request, &receipt).ok());
  CHECK(receipt.session_id() == rig.session());
  CHECK(receipt.mounts_gone());
  CHECK(receipt.uids_released());
  CHECK(receipt.wiped_at().seconds() > 0);
  v1::ListSessionsResponse list;
  REQUIRE(rig.stub().ListSessions(&list_context, {}, &list).ok());
  CHECK(list.sessions_size() == 0);
}

TEST_CASE("a lost launcher shows as UNAVAILABLE") {
  ServiceRig rig;
  rig.record().sandbox_alive = false;
  CHECK(rig.Execute("say x").empty());
  CHECK(rig.last_status.error_code() == grpc::StatusCode::UNAVAILABLE);
}

TEST_CASE("the transactional calls are UNIMPLEMENTED with details") {
  ServiceRig rig;
  grpc::ClientContext context;
  v1::CheckpointInfo info;
  const grpc::Status status = rig.stub().Checkpoint(&context, {}, &info);
  CHECK(status.error_code() == grpc::StatusCode::UNIMPLEMENTED);
  CHECK(ServiceRig::InfoOf(status).reason() == "NOT_IMPLEMENTED");
}

TEST_CASE("the server says what it is") {
  ServiceRig rig;
  grpc::ClientContext context;
  v1::ServerInfo info;
  REQUIRE(rig.stub().GetServerInfo(&context, {}, &info).ok());
  CHECK(info.images(0).digest() == "ab12");
  CHECK(info.images(0).python_version() == "3.11.2");
  CHECK(info.capabilities(0).enforcement() == v1::KERNEL);
  CHECK(info.sessions() == 1);
  CHECK(info.max_message_bytes() == 32 << 20);
}

}  // namespace
}  // namespace cellblock
