#include "tools/cli/input/line_reader.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>

#include "tools/cli/input/ask.h"

namespace cellblock::cli {

struct LineReader::Editor {
  EditLine* line = nullptr;
  History* history = nullptr;
  std::string prompt;
};

namespace {

constexpr int kHistorySize = 1000;

char* Prompt(EditLine* line) {
  std::string* prompt = nullptr;
  el_get(line, EL_CLIENTDATA, &prompt);
  return prompt->data();
}

// One byte, or nothing once a signal has come.
int ReadByte(int wake_fd, char* byte) {
  while (true) {
    std::array<pollfd, 2> wait = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake_fd, POLLIN, 0}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return -1;
    if (wait[1].revents != 0) return -1;
    if (wait[0].revents == 0) continue;
    const ssize_t count = read(STDIN_FILENO, byte, 1);
    if (count < 0 && errno == EINTR) continue;
    return static_cast<int>(count);
  }
}

int g_wake_fd = -1;  // libedit's callback has no data of its own beside the prompt's

int ReadCharacter(EditLine*, wchar_t* character) {
  std::mbstate_t state = {};
  char byte;
  while (true) {
    const int count = ReadByte(g_wake_fd, &byte);
    if (count <= 0) return count;
    const size_t length = std::mbrtowc(character, &byte, 1, &state);
    if (length == static_cast<size_t>(-2)) continue;  // more bytes of the same character
    if (length == static_cast<size_t>(-1)) *character = L'?';
    return 1;
  }
}

}  // namespace

LineReader::LineReader(int wake_fd) : wake_fd_(wake_fd) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) return;
  setlocale(LC_CTYPE, "");
  editor_ = std::make_unique<Editor>();
  g_wake_fd = wake_fd;
  editor_->line = el_init("cellblock", stdin, stdout, stderr);
  editor_->history = history_init();
  HistEvent event;
  history(editor_->history, &event, H_SETSIZE, kHistorySize);
  history(editor_->history, &event, H_SETUNIQUE, 1);
  el_set(editor_->line, EL_CLIENTDATA, &editor_->prompt);
  el_set(editor_->line, EL_PROMPT, &Prompt);
  el_set(editor_->line, EL_EDITOR, "emacs");
  el_set(editor_->line, EL_HIST, history, editor_->history);
  el_set(editor_->line, EL_GETCFN, &ReadCharacter);
  el_set(editor_->line, EL_SIGNAL, 0);
  el_source(editor_->line, nullptr);
}

LineReader::~LineReader() {
  if (editor_ == nullptr) return;
  history_end(editor_->history);
  el_end(editor_->line);
}

LineEnd LineReader::Read(const std::string& prompt, std::string* line) {
  if (editor_ == nullptr) {
    const auto answer = AskLine(wake_fd_, Echo::kOn);
    if (!answer.has_value()) return LineEnd::kInterrupted;
    *line = answer->text + "\n";
    return answer->end_of_file ? LineEnd::kEndOfFile : LineEnd::kLine;
  }
  editor_->prompt = prompt;
  int count = 0;
  const char* text = el_gets(editor_->line, &count);
  pollfd wait = {wake_fd_, POLLIN, 0};
  if (poll(&wait, 1, 0) > 0) {
    el_reset(editor_->line);
    return LineEnd::kInterrupted;
  }
  if (text == nullptr || count <= 0) return LineEnd::kEndOfFile;
  line->assign(text, count);
  if (line->back() != '\n') line->push_back('\n');
  return LineEnd::kLine;
}

void LineReader::AddHistory(const std::string& text) {
  if (editor_ == nullptr) return;
  HistEvent event;
  history(editor_->history, &event, H_ENTER, text.c_str());
}

}  // namespace cellblock::cli
