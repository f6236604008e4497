// Hostile frames: dropped and counted, never believed, never in the way.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <string>

#include "sandbox/base/clock.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/unit/sandbox/runtime/scripted_worker.h"

namespace cellblock {
namespace {

std::string OkDone() {
  internal::Done done;
  done.set_status(internal::Done::OK);
  return done.SerializeAsString();
}

TEST_CASE("the worker says that it is ready") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.SendDatagram("garbage");
    internal::Ready ready;
    ready.set_python_version("3.11.2");
    end.SendDatagram(EncodeFrameHeader({FrameType::kReady, 0, kIncarnation + 1, 0}) +
                     ready.SerializeAsString());  // of another incarnation
    ready.set_python_version("3.11.3");
    end.Send(FrameType::kReady, ready);
  });
  const auto ready = scripted.worker().AwaitReady(SteadyNow() + absl::Seconds(20));
  REQUIRE(ready.ok());
  CHECK(ready->python_version == "3.11.3");
}

TEST_CASE("a worker that does not come up says why") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.Print("ImportError: no IPython", true);
    _exit(1);
  });
  const absl::Status status =
      scripted.worker().AwaitReady(SteadyNow() + absl::Seconds(20)).status();
  CHECK(absl::IsInternal(status));
  CHECK(std::string(status.message()).find("no IPython") != std::string::npos);
}

TEST_CASE("a worker that is never ready is not waited for for ever, nor in a busy loop") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    shutdown(end.control, SHUT_RDWR);  // the daemon reads an end of file
    for (;;) pause();
  });
  const clock_t before = clock();
  const absl::Status status =
      scripted.worker().AwaitReady(SteadyNow() + absl::Milliseconds(500)).status();
  CHECK((absl::IsDeadlineExceeded(status) || absl::IsInternal(status)));
  CHECK(static_cast<double>(clock() - before) / CLOCKS_PER_SEC < 0.2);
}

TEST_CASE("frames of other cells and incarnations, and no frames at all, are dropped and counted") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    const uint64_t cell = end.cell;
    end.SendDatagram("x");                                    // 1
    end.SendDatagram(std::string(kFrameHeaderSize, '\xff'));  // 2
    end.SendDatagram(end.Header(FrameType::kDone) +
                     std::string(kMaxFramePayload + 1, '\0'));  // 3: oversize
    end.cell = cell + 1;
    end.Done();  // 4
    end.cell = 0;
    end.Done();  // 5
    end.cell = cell;
    end.SendDatagram(EncodeFrameHeader({FrameType::kDone, 0, kIncarnation - 1, cell}) +
                     OkDone());                               // 6
    end.Send(FrameType::kDone, std::string("\xff\xff\xff"));  // 7: does not parse
    end.Send(FrameType::kDone, std::string());                // 8: no status
    end.Send(FrameType::kRunCell, std::string());             // 9: not the worker's to send
    end.Send(FrameType::kReady, std::string());               // 10: not now
    end.Done(internal::Done::ERROR);
  });
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kException);
  CHECK(report.dropped_frames == 10);
}

TEST_CASE("frames left over from before the cell are dropped") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    for (int i = 0; i < 20; ++i) end.Send(FrameType::kDone, OkDone());
    end.AwaitCell();
    end.Print("ran");
    end.Done();
  });
  usleep(100000);
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout) == "ran");
}

TEST_CASE("a message of several frames is one message") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Display(std::string(1 << 20, 'd'));
    end.Done();
  });
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  const auto displays = scripted.Of<DisplayData>();
  REQUIRE(displays.size() == 1);
  CHECK(displays[0].bundle.data.at("text/plain") == std::string(1 << 20, 'd'));
  CHECK(report.dropped_frames == 0);
}

TEST_CASE("a message that is never finished does not hide what follows") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.SendDatagram(end.Header(FrameType::kDisplay, kFlagMore) + "begun");
    end.Done();
  });
  scripted.limits.wall = absl::Seconds(5);
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(report.dropped_frames == 1);
}

TEST_CASE("a message above the size limit is dropped whole") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Send(FrameType::kDisplay, std::string(kMaxMessageSize + 1000, 'd'));
    end.Display("small");
    end.Done();
  });
  scripted.limits.wall = absl::Seconds(10);
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  const auto displays = scripted.Of<DisplayData>();
  REQUIRE(displays.size() == 1);
  CHECK(displays[0].bundle.data.at("text/plain") == "small");
  CHECK(report.dropped_frames >= 1);
}

TEST_CASE("only so many displays are passed on; the rest is counted") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    for (int i = 0; i < 50; ++i) end.Display("d");
    end.Done();
  });
  scripted.limits.output.max_events = 10;
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(scripted.Of<DisplayData>().size() == 10);
  REQUIRE(report.limit_events.size() == 1);
  CHECK(report.limit_events[0].limit == "frames");
  CHECK(report.limit_events[0].count == 40);
}

TEST_CASE("displays of more than 64 MiB in one cell are not all kept") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    for (int i = 0; i < 10; ++i) end.Display(std::string(10 << 20, 'd'));
    end.Done();
  });
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kOk);
  CHECK(scripted.Of<DisplayData>().size() == 6);
  REQUIRE(report.limit_events.size() == 1);
  CHECK(report.limit_events[0].count == 4);
}

TEST_CASE("facts that a cell has once are told once") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    for (int i = 0; i < 30; ++i) {
      internal::Error error;
      error.set_name(std::string(1000, 'E'));
      end.Send(FrameType::kError, error);
    }
    end.Done(internal::Done::ERROR);
  });
  const Worker::Report report = scripted.Run();
  CHECK(VerdictOf(report).outcome == Outcome::kException);
  CHECK(scripted.Of<CellStarted>().size() == 1);
  CHECK(scripted.Of<CellError>().size() == 1);
  CHECK(report.dropped_frames == 29);
}

TEST_CASE("a flood of frames ends the interpreter") {
  for (const bool well_formed : {false, true}) {
    ScriptedWorker scripted([well_formed](WorkerEnd& end) {
      end.AwaitCell();
      for (;;) {
        if (well_formed)
          end.Display("d");
        else
          end.SendDatagram("garbage");
      }
    });
    const Worker::Report report = scripted.Run();
    const Verdict verdict = VerdictOf(report);
    CHECK(verdict.outcome == Outcome::kOutputLimit);
    CHECK(verdict.state == StateFate::kLost);
    CHECK(scripted.events.size() <= 1000 + 100);
  }
}

TEST_CASE("a control socket that user code closed ends the interpreter, truthfully") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    shutdown(end.control, SHUT_RDWR);
    close(end.control);
    end.Print("still here");
    for (;;) pause();
  });
  const absl::Time start = SteadyNow();
  const Worker::Report report = scripted.Run();
  CHECK(report.evidence.worker_gone);
  CHECK(VerdictOf(report).state == StateFate::kLost);
  CHECK(VerdictOf(report).outcome == Outcome::kSignaled);
  CHECK(scripted.Text(Stream::kStdout) == "still here");
  CHECK(SteadyNow() - start < absl::Seconds(10));
}

TEST_CASE("a worker that dies behind its Done is not called alive") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    end.Done();
    _exit(9);
  });
  bool first = true;
  scripted.on_event = [&](const CellEvent&) { first = false; };
  usleep(100000);
  const Worker::Report report = scripted.Run();
  usleep(100000);
  // Either it was still alive when the cell ended, or the verdict says that it died.
  if (report.evidence.worker_gone) {
    CHECK(VerdictOf(report).outcome == Outcome::kExited);
  } else {
    CHECK(VerdictOf(report).outcome == Outcome::kOk);
  }
  CHECK_FALSE(scripted.worker().alive());
}

TEST_CASE("an input request is answered") {
  ScriptedWorker scripted([](WorkerEnd& end) {
    end.AwaitCell();
    for (int i = 0; i < 2; ++i) {
      internal::InputRequest request;
      request.set_prompt("name? ");
      end.Send(FrameType::kInputRequest, request);
      internal::InputReply reply;
      reply.ParseFromString(end.AwaitMessage(FrameType::kInputReply));
      end.Print(reply.end_of_file() ? "EOF" : reply.text());
    }
    end.Done();
  });
  int asked = 0;
  scripted.on_event = [&](const CellEvent& event) {
    if (!std::holds_alternative<InputRequest>(event)) return;
    CHECK(scripted.control.waiting_for_input());
    CHECK(scripted.control.ProvideInput("Ann", asked++ > 0));
    CHECK_FALSE(scripted.control.ProvideInput("twice", false));
  };
  CellRequest request;
  request.offer_input = true;
  CHECK_FALSE(scripted.control.ProvideInput("early", false));
  CHECK(VerdictOf(scripted.Run(request)).outcome == Outcome::kOk);
  CHECK(scripted.Text(Stream::kStdout) == "AnnEOF");
  CHECK_FALSE(scripted.control.waiting_for_input());
}

TEST_CASE("random frames never break the run of a cell") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    ScriptedWorker scripted([seed](WorkerEnd& end) {
      end.AwaitCell();
      std::mt19937 random(seed);
      for (int i = 0; i < 900; ++i) {
        static constexpr uint16_t kTypes[] = {1, 2, 16, 17, 18, 19, 20, 21, 22, 40};
        std::string payload(random() % 200, '\0');
        for (char& c : payload) c = static_cast<char>(random());
        const auto type = static_cast<FrameType>(kTypes[random() % 10]);
        end.SendDatagram(end.Header(type, random() % 8 == 0 ? kFlagMore : 0) + payload);
      }
      end.Done();
    });
    scripted.limits.wall = absl::Seconds(5);
    scripted.Run();
    CHECK(scripted.events.size() < 1000);
  }
}

}  // namespace
}  // namespace cellblock
