#include "sandbox/runtime/worker_messages.h"

#include "internal/worker.pb.h"

namespace cellblock {
namespace {

MimeBundle Convert(const internal::Display& display) {
  MimeBundle bundle;
  for (const internal::MimeForm& form : display.forms()) bundle.data[form.type()] = form.data();
  bundle.metadata_json = display.metadata_json();
  bundle.omitted.assign(display.omitted().begin(), display.omitted().end());
  return bundle;
}

CellError Convert(const internal::Error& error) {
  CellError value;
  value.name = error.name();
  value.value = error.value();
  value.traceback = error.traceback();
  value.traceback_ansi = error.traceback_ansi();
  value.line = error.line();
  value.column = error.column();
  value.memory = error.memory();
  value.disk_full = error.disk_full();
  value.no_processes = error.no_processes();
  value.unresolved = error.unresolved();
  value.os_errno = error.os_errno();
  value.os_path = error.path();
  value.os_target = error.target();
  for (const internal::Frame& frame : error.frames()) {
    value.frames.push_back(
        {frame.file(), frame.function(), frame.source(), frame.line(), frame.user_code()});
  }
  return value;
}

CellEvent ToEvent(const internal::Display& display) {
  if (display.is_result()) return ExecuteResult{Convert(display), display.execution_count()};
  return DisplayData{Convert(display), display.display_id(), display.update()};
}

std::optional<DoneMessage> Convert(const internal::Done& done) {
  using Frame = Evidence::Frame;
  DoneMessage message;
  switch (done.status()) {
    case internal::Done::OK:
      message.status = Frame::kOk;
      break;
    case internal::Done::ERROR:
      message.status = Frame::kError;
      break;
    case internal::Done::INTERRUPTED:
      message.status = Frame::kInterrupted;
      break;
    case internal::Done::EXIT:
      message.status = Frame::kExit;
      break;
    default:
      return std::nullopt;
  }
  message.execution_count = done.execution_count();
  message.exit_code = done.exit_code();
  if (done.has_value()) message.value = ToEvent(done.value());
  for (const internal::Done::ExpressionResult& expression : done.expressions()) {
    UserExpressionResult& result = message.expressions[expression.name()];
    if (expression.has_error())
      result.error = Convert(expression.error());
    else
      result.value = Convert(expression.value());
  }
  return message;
}

template <typename Message>
std::optional<Message> Parse(const std::string& payload) {
  Message message;
  if (!message.ParseFromString(payload)) return std::nullopt;
  return message;
}

}  // namespace

std::optional<WorkerMessage> DecodeWorkerMessage(FrameType type, const std::string& payload) {
  switch (type) {
    case FrameType::kDisplay:
      if (const auto display = Parse<internal::Display>(payload)) {
        return WorkerMessage{ToEvent(*display), display->wants_reply()};
      }
      return std::nullopt;
    case FrameType::kClear:
      if (const auto clear = Parse<internal::ClearOutput>(payload)) {
        return WorkerMessage{CellEvent(ClearOutput{clear->wait()}), clear->wants_reply()};
      }
      return std::nullopt;
    case FrameType::kError:
      if (const auto error = Parse<internal::Error>(payload)) {
        return WorkerMessage{CellEvent(Convert(*error))};
      }
      return std::nullopt;
    case FrameType::kInputRequest:
      if (const auto request = Parse<internal::InputRequest>(payload)) {
        return WorkerMessage{CellEvent(InputRequest{request->prompt(), request->password()})};
      }
      return std::nullopt;
    case FrameType::kDone:
      if (const auto done = Parse<internal::Done>(payload)) {
        if (auto message = Convert(*done)) return WorkerMessage{*std::move(message)};
      }
      return std::nullopt;
    case FrameType::kRunCell:
    case FrameType::kInputReply:
    case FrameType::kShown:
    case FrameType::kReady:
      break;
  }
  return std::nullopt;
}

std::optional<Worker::ReadyInfo> DecodeReady(const std::string& payload) {
  const auto ready = Parse<internal::Ready>(payload);
  if (!ready.has_value()) return std::nullopt;
  return Worker::ReadyInfo{ready->python_version(), ready->ipython_version(), ready->warning()};
}

std::string EncodeRunCell(const CellRequest& request) {
  internal::RunCell message;
  message.set_code(request.code);
  message.set_silent(request.silent);
  message.set_offer_input(request.offer_input);
  message.set_name(request.name);
  message.set_max_display_bytes(request.max_display_bytes);
  for (const auto& [name, code] : request.expressions) {
    internal::RunCell::Expression* expression = message.add_expressions();
    expression->set_name(name);
    expression->set_code(code);
  }
  return message.SerializeAsString();
}

std::string EncodeInputReply(const std::string& text, bool end_of_file) {
  internal::InputReply message;
  message.set_text(text);
  message.set_end_of_file(end_of_file);
  return message.SerializeAsString();
}

}  // namespace cellblock
