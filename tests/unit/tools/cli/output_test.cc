#include <fcntl.h>

#include "absl/strings/match.h"
#include "cellblock/v1/cell.pb.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"
#include "tools/cli/output/describe.h"
#include "tools/cli/output/event_printer.h"
#include "tools/cli/output/hints.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {
namespace {

std::string Neutral(absl::string_view text) {
  Neutralizer neutralizer;
  std::string out = neutralizer.Feed(text);
  return out + neutralizer.Finish();
}

TEST_CASE("text, tabs, new lines and colours pass") {
  CHECK(Neutral("a\tb\r\nc é 漢 😀") == "a\tb\r\nc é 漢 😀");
  CHECK(Neutral("\x1b[1;31mred\x1b[0m") == "\x1b[1;31mred\x1b[0m");
  CHECK(Neutral("\x1b[38;5;12mx\x1b[m") == "\x1b[38;5;12mx\x1b[m");
}

TEST_CASE("what a terminal would obey is shown instead") {
  CHECK(Neutral("\x1b]0;title\x07") == "\\x1b]0;title\\x07");
  CHECK(Neutral("\x1b[2J") == "\\x1b[2J");
  CHECK(Neutral("\x1b[6n") == "\\x1b[6n");
  CHECK(Neutral("\x1bP+q\x1b\\") == "\\x1bP+q\\x1b\\");
  CHECK(Neutral("a\bb\x7f") == "a\\x08b\\x7f");
  CHECK(Neutral(absl::string_view("\0", 1)) == "\\x00");
  CHECK(Neutral("\xc2\x9b"
                "2J") == "\\u009b2J");
  CHECK(Neutral("\xe2\x80\xae") == "\\u202e");
  CHECK(Neutral("\xff\xc0\xaf\xed\xa0\x80") == "\\xff\\xc0\\xaf\\xed\\xa0\\x80");
  CHECK(Neutral("\x1b[" + std::string(100, '1') + "m") == "\\x1b[" + std::string(100, '1') + "m");
}

TEST_CASE("sequences and characters split anywhere come out the same") {
  const std::string text = "a\x1b[31mé漢\x1b[2J\xf0\x9f\x98\x80\xffz\x1b[0m";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Neutralizer neutralizer;
    std::string out = neutralizer.Feed(text.substr(0, cut));
    out += neutralizer.Feed(text.substr(cut));
    CHECK(out + neutralizer.Finish() == Neutral(text));
  }
}

TEST_CASE("a colour left on is put off at the end, a cut sequence is shown") {
  CHECK(Neutral("\x1b[31mred") == "\x1b[31mred\x1b[0m");
  CHECK(Neutral("x\x1b[3") == "x\\x1b[3");
  CHECK(Neutral("x\xe6\xbc") == "x\\xe6\\xbc");
}

TEST_CASE("names on one line carry no colours and no breaks") {
  CHECK(OneLine("a\nb\tc\x1b[31md") == "a\\nb\\tc\\x1b[31md");
  CHECK(PlainText("a\nb\x1b[31m") == "a\nb\\x1b[31m");
}

TEST_CASE("sizes and times read well") {
  CHECK(Bytes(1) == "1 byte");
  CHECK(Bytes(1023) == "1023 bytes");
  CHECK(Bytes(1536) == "1.5 KiB");
  CHECK(Bytes(int64_t{1} << 20) == "1.0 MiB");
  CHECK(Bytes((int64_t{1} << 30) - 1) == "1.0 GiB");
  CHECK(Seconds(absl::Seconds(125)) == "2 min 5 s");
}

TEST_CASE("how a cell ended is said with what became of its state") {
  v1::CellResult result;
  result.set_outcome(v1::OOM);
  result.set_message("out of memory: 512 MiB used of 512 MiB");
  result.set_state(v1::LOST);
  result.set_files(v1::KEPT);
  CHECK(DescribeEnd(result) ==
        "out of memory: 512 MiB used of 512 MiB; the interpreter was lost: variables are gone, "
        "files are kept");
  result.set_outcome(v1::EXCEPTION);
  result.set_state(v1::PRESERVED);
  CHECK(DescribeEnd(result).empty());
  result.set_cause(v1::DISK_FULL);
  CHECK(DescribeEnd(result) == "the session's disk is full");
}

TEST_CASE("the path that is missing is read from Python's message") {
  const char* kName = "FileNotFoundError";
  CHECK(MissingPath(kName, "[Errno 2] No such file or directory: 'data.csv'") == "data.csv");
  CHECK(MissingPath(kName, "[Errno 2] No such file: \"it's.csv\"") == "it's.csv");
  CHECK(MissingPath(kName, "[Errno 2] x: 'a\\nb'") == "a\nb");
  CHECK(MissingPath(kName, "nothing quoted").empty());
  CHECK(MissingPath(kName, "'open").empty());
  CHECK(MissingPath("ValueError", "'data.csv'").empty());
}

TEST_CASE("a file that exists here gets the way in, others get none") {
  const TempDir dir;
  const std::string path = dir.path() + "/data.csv";
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  CHECK(absl::StrContains(StagingHint(path), "--upload " + path));
  CHECK(absl::StrContains(StagingHint(dir.path()), "--workdir"));
  CHECK(StagingHint(path + "-none").empty());
  CHECK(StagingHint("").empty());
}

// A screen that writes to two files.
class Captured {
 public:
  explicit Captured(ScreenSettings settings = {}) {
    out_ = UniqueFd(open(out_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    err_ = UniqueFd(open(err_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    settings.out_fd = out_.get();
    settings.err_fd = err_.get();
    screen = std::make_unique<Screen>(settings);
  }
  std::string out() const { return *ReadFile(out_path()); }
  std::string err() const { return *ReadFile(err_path()); }
  std::string folder() const { return dir_.path() + "/images"; }
  std::unique_ptr<Screen> screen;

 private:
  std::string out_path() const { return dir_.path() + "/out"; }
  std::string err_path() const { return dir_.path() + "/err"; }
  TempDir dir_;
  UniqueFd out_, err_;
};

v1::ExecuteEvent Output(v1::StreamName stream, const std::string& data) {
  v1::ExecuteEvent event;
  event.mutable_output()->set_stream(stream);
  event.mutable_output()->set_data(data);
  return event;
}

TEST_CASE("output passes byte for byte where there is no terminal") {
  Captured captured;
  EventPrinter printer(captured.screen.get(), captured.folder());
  printer.BeginCell("cell", ShowValues::kNever);
  const std::string bytes("\x1b]0;t\x07\0\xff", 8);
  printer.Show(Output(v1::STDOUT, bytes));
  printer.Show(Output(v1::STDERR, bytes));
  v1::ExecuteEvent value;
  (*value.mutable_value()->mutable_bundle()->mutable_data())["text/plain"] = "42";
  printer.Show(value);
  CHECK(captured.out() == bytes);
  CHECK(captured.err() == bytes);
  printer.BeginCell("cell", ShowValues::kAlways);
  printer.Show(value);
  CHECK(captured.out() == bytes + "42\n");
}

TEST_CASE("output on a terminal is neutralised, the progress line comes and goes") {
  ScreenSettings settings;
  settings.out_is_terminal = settings.err_is_terminal = true;
  Captured captured(settings);
  EventPrinter printer(captured.screen.get(), captured.folder());
  printer.BeginCell("cell", ShowValues::kNever);
  v1::ExecuteEvent progress;
  progress.mutable_progress()->mutable_elapsed()->set_seconds(3);
  printer.Show(progress);
  CHECK(absl::StrContains(captured.err(), "running 3 s"));
  printer.Show(Output(v1::STDOUT, "\x1b]0;t\x07"));
  CHECK(captured.out() == "\\x1b]0;t\\x07");
  CHECK(absl::EndsWith(captured.err(), "\r\x1b[K"));
  const std::string before = captured.err();
  printer.Show(progress);  // would break into the line
  CHECK(captured.err() == before);
}

TEST_CASE("an image is saved and named, its text is not printed") {
  Captured captured;
  EventPrinter printer(captured.screen.get(), captured.folder());
  printer.BeginCell("cell", ShowValues::kNever);
  v1::ExecuteEvent event;
  auto& forms = *event.mutable_display()->mutable_bundle()->mutable_data();
  forms["image/png"] = "PNG bytes";
  forms["text/plain"] = "<Figure>";
  printer.Show(event);
  CHECK(captured.out().empty());
  CHECK(captured.err() == "saved " + captured.folder() + "/image-001.png\n");
  CHECK(*ReadFile(captured.folder() + "/image-001.png") == "PNG bytes");
}

TEST_CASE("an error is shown once and names are made safe") {
  Captured captured;
  EventPrinter printer(captured.screen.get(), captured.folder());
  printer.BeginCell("cell", ShowValues::kNever);
  v1::ExecuteEvent event;
  event.mutable_error()->set_name("KeyError");
  event.mutable_error()->set_traceback("Traceback\nKeyError: 1");
  printer.Show(event);
  v1::ExecuteEvent result;
  result.mutable_result()->set_outcome(v1::EXCEPTION);
  *result.mutable_result()->mutable_error() = event.error();
  printer.Show(result);
  CHECK(captured.err() == "Traceback\nKeyError: 1\n");
  result.mutable_result()->set_outcome(v1::REFUSED);
  result.mutable_result()->clear_error();
  result.mutable_result()->set_message("no \x1b[2J");
  printer.Show(result);
  CHECK(absl::StrContains(captured.err(), "cellblock: cell: refused by the policy: no \\x1b[2J\n"));
}

TEST_CASE("a JSON line is one line, bytes that are no text survive as a string") {
  const std::string line = JsonLine(Output(v1::STDOUT, "a\nb"));
  CHECK(line == "{\"output\":{\"stream\":\"STDOUT\",\"data\":\"YQpi\"}}\n");
  CHECK(JsonString("a\"\n\xff") == "\"a\\\"\\n\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace cellblock::cli
