// Values to messages: nothing is lost on the way, and text from a worker cannot make a message that
// a client would refuse.
#include "daemon/service/convert.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "cellblock/v1/runtime.pb.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

// As a client gets it: proto3 strings are checked while parsing.
v1::ExecuteEvent RoundTrip(CellEvent event) {
  LoggedEvent logged;
  logged.sequence = 7;
  logged.incarnation = 2;
  logged.time = absl::FromUnixMillis(1500);
  logged.body = std::move(event);
  v1::ExecuteEvent message, back;
  ToProto(logged, "exec", &message);
  REQUIRE(back.ParseFromString(message.SerializeAsString()));
  CHECK(back.sequence() == 7);
  CHECK(back.incarnation() == 2);
  CHECK(back.time().seconds() == 1);
  CHECK(back.time().nanos() == 500000000);
  return back;
}

TEST_CASE("Utf8 replaces exactly what is not valid") {
  CHECK(Utf8("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(Utf8("a\xff"
             "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(Utf8("\xc3") == "\xef\xbf\xbd");
  for (const char* bad : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    CHECK_FALSE(IsUtf8(bad));
    CHECK(IsUtf8(Utf8(bad)));
  }
}

TEST_CASE("durations and times keep their nanoseconds and stay in range") {
  for (const absl::Duration duration :
       {absl::ZeroDuration(), absl::Nanoseconds(1), absl::Milliseconds(1500), absl::Hours(9999)}) {
    google::protobuf::Duration message;
    ToProto(duration, &message);
    CHECK(FromProto(message) == duration);
  }
  google::protobuf::Duration forever;
  ToProto(absl::InfiniteDuration(), &forever);
  CHECK(forever.seconds() == 315576000000);
  CHECK(forever.nanos() >= 0);
  google::protobuf::Timestamp end;
  ToProto(absl::InfiniteFuture(), &end);
  CHECK(end.seconds() == 253402300799);
}

TEST_CASE("each kind of event arrives as its own") {
  CHECK(RoundTrip(CellStarted{3}).started().execution_id() == "exec");
  CHECK(RoundTrip(CellStarted{3}).started().execution_count() == 3);
  const v1::ExecuteEvent output =
      RoundTrip(OutputChunk{Stream::kStderr, std::string("\xff\0x", 3), true});
  CHECK(output.output().stream() == v1::STDERR);
  CHECK(output.output().data() == std::string("\xff\0x", 3));
  CHECK(output.output().late());
  CHECK(RoundTrip(OutputGap{Stream::kStdout, 99}).gap().bytes() == 99);
  // Const, because of two members of this name: the other one clears the field `output`.
  const v1::ExecuteEvent clear = RoundTrip(ClearOutput{true});
  CHECK(clear.clear_output().wait());
  CHECK(RoundTrip(InputRequest{"name? ", true}).input_request().password());
  CHECK(RoundTrip(Progress{absl::Seconds(1), absl::Seconds(2), 5}).progress().memory_bytes() == 5);
  const v1::ExecuteEvent lost = RoundTrip(StateEvent{false, 4, "killed"});
  CHECK(lost.state().kind() == v1::StateEvent::STATE_LOST);
  CHECK(lost.state().epoch() == 4);
}

TEST_CASE("a bundle keeps binary forms, and its text is made valid") {
  DisplayData display;
  display.bundle.data["image/png"] = std::string("\x89PNG\0", 5);
  display.bundle.data["text/\xff"] = "x";
  display.bundle.metadata_json = "{\"\xff\":1}";
  display.bundle.omitted = {"text/html"};
  display.display_id = "\xff";
  const v1::ExecuteEvent event = RoundTrip(display);
  CHECK(event.display().bundle().data().at("image/png") == std::string("\x89PNG\0", 5));
  CHECK(event.display().bundle().data().size() == 2);
  CHECK(event.display().bundle().omitted(0) == "text/html");
}

TEST_CASE("an error keeps its frames; hostile text does not break the message") {
  CellError error;
  error.name = "ValueError";
  error.value = "bad \xff";
  error.frames.push_back({"cell 1", "f\xff", "raise", 3, true});
  error.line = 4;
  const v1::ExecuteEvent event = RoundTrip(error);
  CHECK(event.error().name() == "ValueError");
  CHECK(event.error().value() == "bad \xef\xbf\xbd");
  REQUIRE(event.error().frames_size() == 1);
  CHECK(event.error().frames(0).line() == 3);
  CHECK(event.error().frames(0).user_code());
  CHECK(event.error().line() == 4);
}

TEST_CASE("a result keeps all that was measured") {
  CellResult result;
  result.outcome = Outcome::kOom;
  result.cause = Cause::kMemory;
  result.state = StateFate::kLost;
  result.epoch = 2;
  result.signal = 9;
  result.limit_events.push_back({"memory", 1, "memory.events oom_kill 0 -> 1"});
  result.usage.wall = absl::Seconds(3);
  result.usage.peak_memory_bytes = 1234;
  result.artifacts.push_back({"plot.png", 10, std::string(32, '\x01'), true});
  result.removed_files = {"gone\xff"};
  result.user_expressions["a"].value.emplace().data["text/plain"] = "1";
  result.user_expressions["b"].error.emplace().name = "NameError";
  v1::CellResult message, back;
  ToProto(result, &message);
  REQUIRE(back.ParseFromString(message.SerializeAsString()));
  CHECK(back.outcome() == v1::OOM);
  CHECK(back.cause() == v1::MEMORY);
  CHECK(back.state() == v1::LOST);
  CHECK(back.files() == v1::KEPT);
  CHECK(back.epoch() == 2);
  CHECK(back.limit_events(0).evidence() == "memory.events oom_kill 0 -> 1");
  CHECK(back.usage().wall().seconds() == 3);
  CHECK(back.artifacts(0).path() == "plot.png");
  CHECK(back.artifacts(0).created());
  CHECK(back.removed_files(0) == "gone\xff");
  CHECK(back.user_expressions().at("a").value().data().at("text/plain") == "1");
  CHECK(back.user_expressions().at("b").error().name() == "NameError");
}

TEST_CASE("outcomes have the API's names") {
  const std::pair<Outcome, v1::Outcome> pairs[] = {
      {Outcome::kOk, v1::OK},
      {Outcome::kException, v1::EXCEPTION},
      {Outcome::kInterrupted, v1::INTERRUPTED},
      {Outcome::kTimeoutWall, v1::TIMEOUT_WALL},
      {Outcome::kTimeoutCpu, v1::TIMEOUT_CPU},
      {Outcome::kOom, v1::OOM},
      {Outcome::kOutputLimit, v1::OUTPUT_LIMIT},
      {Outcome::kRefused, v1::REFUSED},
      {Outcome::kExited, v1::EXITED},
      {Outcome::kSignaled, v1::SIGNALED},
      {Outcome::kSeccomp, v1::SECCOMP},
      {Outcome::kInfra, v1::INFRA},
  };
  for (const auto& [value, message_value] : pairs) {
    CellResult result;
    result.outcome = value;
    v1::CellResult message;
    ToProto(result, &message);
    CHECK(message.outcome() == message_value);
  }
}

}  // namespace
}  // namespace cellblock
