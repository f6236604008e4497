// Every field's rule, as tables.
#include "daemon/service/validate.h"

#include <functional>

#include "cellblock/v1/runtime.pb.h"
#include "daemon/session/error.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

using CreateEdit = std::function<void(v1::CreateSessionRequest*)>;
using ExecuteEdit = std::function<void(v1::ExecuteRequest*)>;

const std::string kNul("a\0b", 3);

TEST_CASE("CreateSession: fields out of order are refused by name") {
  const struct {
    const char* field;
    CreateEdit edit;
  } cases[] = {
      {"image", [](auto* r) { r->set_image(kNul); }},
      {"image", [](auto* r) { r->set_image(std::string(5000, 'x')); }},
      {"policy", [](auto* r) { r->set_policy(kNul); }},
      {"idempotency_key", [](auto* r) { r->set_idempotency_key(std::string(129, 'k')); }},
      {"environment", [](auto* r) { (*r->mutable_environment())["A=B"] = ""; }},
      {"environment", [](auto* r) { (*r->mutable_environment())[""] = "x"; }},
      {"environment", [](auto* r) { (*r->mutable_environment())["1A"] = "x"; }},
      {"environment", [](auto* r) { (*r->mutable_environment())["A"] = kNul; }},
      {"environment", [](auto* r) { (*r->mutable_environment())["LD_PRELOAD"] = "/x.so"; }},
      {"environment", [](auto* r) { (*r->mutable_environment())["PYTHONPATH"] = "/x"; }},
      {"environment", [](auto* r) { (*r->mutable_environment())["CELLBLOCK_X"] = "1"; }},
      {"environment",
       [](auto* r) { (*r->mutable_environment())["A"] = std::string(33 * 1024, 'x'); }},
      {"environment",
       [](auto* r) {
         for (int i = 0; i < 300; ++i) (*r->mutable_environment())["A" + std::to_string(i)] = "";
       }},
      {"environment",
       [](auto* r) {
         for (int i = 0; i < 5; ++i) {
           (*r->mutable_environment())["A" + std::to_string(i)] = std::string(20000, 'x');
         }
       }},
      {"time_zone", [](auto* r) { r->set_time_zone("../../etc/passwd"); }},
      {"time_zone", [](auto* r) { r->set_time_zone("/etc/localtime"); }},
      {"time_zone", [](auto* r) { r->set_time_zone("Europe/Paris x"); }},
      {"idle_ttl", [](auto* r) { r->mutable_idle_ttl()->set_seconds(-1); }},
      {"total_ttl", [](auto* r) { r->mutable_total_ttl()->set_nanos(-5); }},
      {"total_ttl", [](auto* r) { r->mutable_total_ttl()->set_seconds(INT64_MAX); }},
      {"limits.max_cell_time",
       [](auto* r) { r->mutable_limits()->mutable_max_cell_time()->set_seconds(-2); }},
      {"labels", [](auto* r) { (*r->mutable_labels())[""] = "x"; }},
      {"labels", [](auto* r) { (*r->mutable_labels())["k"] = std::string(2000, 'x'); }},
      {"labels",
       [](auto* r) {
         for (int i = 0; i < 65; ++i) (*r->mutable_labels())["k" + std::to_string(i)] = "";
       }},
  };
  for (const auto& test : cases) {
    v1::CreateSessionRequest request;
    test.edit(&request);
    const absl::Status status = ValidateCreate(request);
    INFO(test.field << ": " << status.message());
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(DetailOf(status).object == test.field);
  }
}

TEST_CASE("CreateSession: an ordinary request passes") {
  v1::CreateSessionRequest request;
  CHECK(ValidateCreate(request).ok());
  request.set_image("dir:/srv/images/a");
  request.set_time_zone("America/Argentina/Buenos_Aires");
  (*request.mutable_environment())["API_MODE"] = "a=b c";
  (*request.mutable_labels())["owner"] = "me";
  request.mutable_idle_ttl()->set_seconds(60);
  CHECK(ValidateCreate(request).ok());
}

TEST_CASE("overrides may only tighten") {
  Limits limits;
  limits.memory_bytes = 1000;
  limits.pids = 10;
  limits.max_cell_time = absl::Seconds(30);
  v1::LimitOverrides tighter;
  tighter.set_memory_bytes(500);
  tighter.mutable_max_cell_time()->set_seconds(5);
  tighter.set_disk_bytes(77);  // the policy has no limit of its own
  REQUIRE(ApplyOverrides(tighter, &limits).ok());
  CHECK(limits.memory_bytes == 500);
  CHECK(limits.pids == 10);
  CHECK(limits.disk_bytes == 77);
  CHECK(limits.max_cell_time == absl::Seconds(5));

  v1::LimitOverrides larger;
  larger.set_pids(11);
  const absl::Status status = ApplyOverrides(larger, &limits);
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(DetailOf(status).object == "limits.pids");
  CHECK(std::string(status.message()).find("10") != std::string::npos);

  v1::LimitOverrides longer;
  longer.mutable_max_cell_time()->set_seconds(6);
  CHECK(DetailOf(ApplyOverrides(longer, &limits)).object == "limits.max_cell_time");
  v1::LimitOverrides negative;
  negative.set_memory_bytes(-1);
  CHECK(DetailOf(ApplyOverrides(negative, &limits)).object == "limits.memory_bytes");
}

TEST_CASE("Execute: fields out of order are refused by name") {
  const struct {
    const char* field;
    ExecuteEdit edit;
  } cases[] = {
      {"code", [](auto* r) { r->set_code("x = '\xff'"); }},
      {"code", [](auto* r) { r->set_code("\xed\xa0\x80"); }},  // a surrogate
      {"code", [](auto* r) { r->set_code(kNul); }},
      {"code", [](auto* r) { r->set_code(std::string(kMaxCodeBytes + 1, '#')); }},
      {"name", [](auto* r) { r->set_name(kNul); }},
      {"name", [](auto* r) { r->set_name(std::string(300, 'n')); }},
      {"execution_id", [](auto* r) { r->set_execution_id("a/b"); }},
      {"execution_id", [](auto* r) { r->set_execution_id(std::string(129, 'a')); }},
      {"timeout", [](auto* r) { r->mutable_timeout()->set_seconds(-1); }},
      {"user_expressions", [](auto* r) { (*r->mutable_user_expressions())[""] = "1"; }},
      {"user_expressions", [](auto* r) { (*r->mutable_user_expressions())["a"] = kNul; }},
      {"on_disconnect", [](auto* r) { r->set_on_disconnect(static_cast<v1::OnDisconnect>(9)); }},
  };
  for (const auto& test : cases) {
    v1::ExecuteRequest request;
    test.edit(&request);
    const absl::Status status = ValidateExecute(request).status();
    INFO(test.field << ": " << status.message());
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(DetailOf(status).object == test.field);
  }
}

TEST_CASE("Execute: what is reserved for transactional cells is UNIMPLEMENTED") {
  v1::ExecuteRequest rollback, checkpoint;
  rollback.set_on_error(v1::ExecuteRequest::ROLLBACK);
  checkpoint.set_checkpoint(v1::ExecuteRequest::AUTO);
  CHECK(ValidateExecute(rollback).status().code() == absl::StatusCode::kUnimplemented);
  CHECK(ValidateExecute(checkpoint).status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("Execute: every field arrives") {
  v1::ExecuteRequest request;
  request.set_code("print('\xc3\xa9')");
  request.set_execution_id("run_1-a");
  request.mutable_timeout()->set_seconds(3);
  request.set_silent(true);
  request.set_offer_input(true);
  request.set_on_disconnect(v1::KEEP_RUNNING);
  request.set_name("a.py");
  (*request.mutable_user_expressions())["b"] = "2";
  (*request.mutable_user_expressions())["a"] = "1";
  const auto spec = ValidateExecute(request);
  REQUIRE(spec.ok());
  CHECK(spec->request.code == request.code());
  CHECK(spec->request.silent);
  CHECK(spec->request.offer_input);
  CHECK(spec->request.name == "a.py");
  REQUIRE(spec->request.expressions.size() == 2);
  CHECK(spec->request.expressions[0].first == "a");
  CHECK(spec->execution_id == "run_1-a");
  CHECK(spec->timeout == absl::Seconds(3));
  CHECK(spec->on_disconnect == DisconnectRule::kKeepRunning);
}

}  // namespace
}  // namespace cellblock
