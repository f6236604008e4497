// The whole command against a scripted server: what reaches standard output and standard error, and
// the exit status. Runs the built `cellblock` beside this test.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/tools/fake_runtime.h"

namespace cellblock::cli {
namespace {

struct Outcome {
  int exit_status = -1;
  std::string out, err;
};

Outcome RunCommand(const TempDir& dir, std::vector<std::string> arguments,
                   const std::string& input = "") {
  const std::string in = dir.path() + "/.in", out = dir.path() + "/.out",
                    err = dir.path() + "/.err";
  const UniqueFd input_file(open(in.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  REQUIRE(WriteAll(input_file.get(), input).ok());
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cellblock";
  std::string command = absl::StrCat("cd '", dir.path(), "' && '", program, "'");
  for (const std::string& argument : arguments) absl::StrAppend(&command, " '", argument, "'");
  absl::StrAppend(&command, " <'", in, "' >'", out, "' 2>'", err, "'");
  const int status = system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, *ReadFile(out), *ReadFile(err)};
}

void Write(const std::string& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  REQUIRE(WriteAll(file.get(), text).ok());
}

class Fixture {
 public:
  Outcome Run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"run", "--server", server.address()});
    return RunCommand(dir, std::move(arguments), input);
  }
  FakeRuntime server;
  TempDir dir;
};

TEST_CASE_METHOD(Fixture, "cells' output is the command's, nothing is added") {
  Write(dir.path() + "/a.py", "print(1)");
  const std::string bytes("a\x1b[2J\0\xff", 7);
  server.Play({{OutputEvent(1, v1::STDOUT, bytes), OutputEvent(2, v1::STDERR, "e\n"),
                ValueEvent(3, "42"), ResultEvent(4, v1::OK)},
               grpc::Status::OK});
  const Outcome outcome = Run({"a.py"});
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == bytes);
  CHECK(outcome.err == "e\n");
  const auto executed = server.executed();
  REQUIRE(executed.size() == 1);
  CHECK(executed[0].code() == "print(1)");
  CHECK(executed[0].name() == "a.py");
  CHECK_FALSE(executed[0].execution_id().empty());
  CHECK_FALSE(executed[0].offer_input());
}

TEST_CASE_METHOD(Fixture, "standard input is a cell, values on request") {
  server.Play({{ValueEvent(1, "42"), ResultEvent(2, v1::OK)}, grpc::Status::OK});
  const Outcome outcome = Run({"--values", "always", "-"}, "6*7");
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "42\n");
  CHECK(server.executed()[0].code() == "6*7");
}

TEST_CASE_METHOD(Fixture, "the run stops at the first failed cell unless told to go on") {
  Write(dir.path() + "/a.py", "# %%\na\n# %%\nb\n# %%\nc\n");
  const auto script = [&] {
    server.Play({{ResultEvent(1, v1::OK)}, grpc::Status::OK});
    server.Play({{ResultEvent(1, v1::EXCEPTION)}, grpc::Status::OK});
    server.Play({{ResultEvent(1, v1::OK)}, grpc::Status::OK});
  };
  script();
  const Outcome stopped = Run({"a.py"});
  CHECK(stopped.exit_status == 1);
  CHECK(server.executed().size() == 2);
  CHECK(absl::StrContains(stopped.err, "1 cell was not run"));
  server.Play({{ResultEvent(1, v1::EXCEPTION)}, grpc::Status::OK});
  CHECK(Run({"--keep-going", "a.py"}).exit_status == 1);
  CHECK(server.executed().size() == 5);
}

TEST_CASE_METHOD(Fixture, "an exit with status 0 ends the run well") {
  Write(dir.path() + "/a.py", "# %%\na\n# %%\nb\n");
  server.Play({{ResultEvent(1, v1::EXITED)}, grpc::Status::OK});
  CHECK(Run({"a.py"}).exit_status == 0);
  CHECK(server.executed().size() == 1);
  v1::ExecuteEvent failed = ResultEvent(1, v1::EXITED);
  failed.mutable_result()->set_exit_status(3);
  server.Play({{failed}, grpc::Status::OK});
  CHECK(Run({"a.py"}).exit_status == 1);
}

TEST_CASE_METHOD(Fixture, "JSON is one event a line and nothing else") {
  Write(dir.path() + "/a.py", "1");
  server.Play({{OutputEvent(1, v1::STDOUT, "x\ny"), ResultEvent(2, v1::OOM)}, grpc::Status::OK});
  const Outcome outcome = Run({"--json", "a.py"});
  CHECK(outcome.exit_status == 1);
  const std::vector<std::string> lines = absl::StrSplit(outcome.out, '\n');
  REQUIRE(lines.size() == 3);
  CHECK(absl::StrContains(lines[0], "\"data\":\"eAp5\""));
  CHECK(absl::StrContains(lines[1], "\"outcome\":\"OOM\""));
  CHECK(lines[2].empty());
}

TEST_CASE_METHOD(Fixture, "the machinery's failures have a status of their own") {
  Write(dir.path() + "/a.py", "1");
  v1::ErrorInfo info;
  info.set_reason("SETUP_FAILED");
  info.set_step("pivot_root");
  info.set_remedy("see doctor");
  server.FailNext(DetailedError(grpc::StatusCode::INTERNAL, "no sandbox", info));
  const Outcome outcome = Run({"a.py"});
  CHECK(outcome.exit_status == 3);
  CHECK(outcome.err == "cellblock: no sandbox [SETUP_FAILED], at step pivot_root; see doctor\n");
  server.Play(
      {{OutputEvent(1, v1::STDOUT, "x")}, grpc::Status(grpc::StatusCode::DATA_LOSS, "broken")});
  CHECK(Run({"a.py"}).exit_status == 3);
}

TEST_CASE_METHOD(Fixture, "wrong usage is told before anything runs") {
  CHECK(Run({"none.py"}).exit_status == 2);
  Write(dir.path() + "/n.ipynb", "{");
  CHECK(Run({"n.ipynb"}).exit_status == 2);
  Write(dir.path() + "/a.py", "1");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--timeout", "soon", "a.py"},
                                             {"--env", "novalue", "a.py"},
                                             {"--upload", "none", "a.py"},
                                             {"--workdir", "none", "a.py"},
                                             {"--values", "perhaps", "a.py"},
                                             {"--nonsense", "a.py"}}) {
    CAPTURE(wrong[0]);
    CHECK(Run(wrong).exit_status == 2);
  }
  CHECK(server.created().empty());
  v1::ErrorInfo info;
  info.set_reason("BAD_REQUEST");
  server.FailNext(DetailedError(grpc::StatusCode::INVALID_ARGUMENT, "no such policy", info));
  CHECK(Run({"--policy", "x", "a.py"}).exit_status == 2);
}

TEST_CASE_METHOD(Fixture, "flags reach the requests") {
  Write(dir.path() + "/a.py", "1");
  Write(dir.path() + "/data.csv", "1,2");
  server.files["result.txt"] = "42";
  const Outcome outcome =
      Run({"--timeout", "90s", "--policy", "p", "--image", "i", "--env", "A=b=c", "--time-zone",
           "Europe/Berlin", "--upload", "data.csv:in.csv", "--download", "result.txt", "a.py"});
  CHECK(outcome.exit_status == 0);
  const auto created = server.created();
  REQUIRE(created.size() == 1);
  CHECK(created[0].policy() == "p");
  CHECK(created[0].image() == "i");
  CHECK(created[0].time_zone() == "Europe/Berlin");
  CHECK(created[0].environment().at("A") == "b=c");
  CHECK(server.executed()[0].timeout().seconds() == 90);
  CHECK(server.files["in.csv"] == "1,2");
  CHECK(*ReadFile(dir.path() + "/result.txt") == "42");
}

TEST_CASE_METHOD(Fixture, "a file that is missing inside but is here gets the hint") {
  Write(dir.path() + "/a.py", "open('data.csv')");
  Write(dir.path() + "/data.csv", "1");
  v1::ExecuteEvent error;
  error.set_sequence(1);
  error.mutable_error()->set_name("FileNotFoundError");
  error.mutable_error()->set_value("[Errno 2] No such file or directory: 'data.csv'");
  error.mutable_error()->set_traceback("Traceback");
  server.Play({{error, ResultEvent(2, v1::EXCEPTION)}, grpc::Status::OK});
  CHECK(absl::StrContains(Run({"a.py"}).err, "hint: data.csv exists on this machine"));
}

TEST_CASE_METHOD(Fixture, "files that would be lost are named") {
  Write(dir.path() + "/a.py", "1");
  v1::ExecuteEvent result = ResultEvent(1, v1::OK);
  result.mutable_result()->add_artifacts()->set_path("out\x1b.xlsx");
  server.Play({{result}, grpc::Status::OK});
  CHECK(absl::StrContains(Run({"a.py"}).err, "out\\x1b.xlsx"));
}

TEST_CASE_METHOD(Fixture, "input is answered from standard input when asked to") {
  Write(dir.path() + "/a.py", "input()");
  v1::ExecuteEvent ask;
  ask.set_sequence(1);
  ask.mutable_input_request()->set_prompt("name? ");
  server.Play({{ask, ResultEvent(2, v1::OK)}, grpc::Status::OK});
  const Outcome outcome = Run({"--input", "a.py"}, "Ada\nrest\n");
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "name? ");
  CHECK(server.answered == "Ada");
  CHECK(server.executed()[0].offer_input());
}

TEST_CASE("help, version and completions name every command") {
  const TempDir dir;
  CHECK(absl::StartsWith(RunCommand(dir, {"--version"}).out, "cellblock "));
  const Outcome help = RunCommand(dir, {"--help"});
  CHECK(help.exit_status == 0);
  CHECK(RunCommand(dir, {}).exit_status == 2);
  CHECK(RunCommand(dir, {"nonsense"}).exit_status == 2);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome completion = RunCommand(dir, {"completion", shell});
    CHECK(completion.exit_status == 0);
    for (const char* word :
         {"run", "repl", "session", "create", "list", "exec", "delete", "files", "put", "get", "ls",
          "rm", "doctor", "completion", "keep-going", "workdir", "time-zone", "idle-ttl", "json"}) {
      CAPTURE(shell, word);
      CHECK(absl::StrContains(completion.out, word));
    }
  }
  Write(dir.path() + "/c.bash", RunCommand(dir, {"completion", "bash"}).out);
  CHECK(system(absl::StrCat("bash -n ", dir.path(), "/c.bash").c_str()) == 0);
}

TEST_CASE("sessions and files need a daemon") {
  const TempDir dir;
  unsetenv("CELLBLOCK_SERVER");
  CHECK(RunCommand(dir, {"session", "list"}).exit_status == 2);
  CHECK(RunCommand(dir, {"files", "ls", "s"}).exit_status == 2);
}

}  // namespace
}  // namespace cellblock::cli
