// The payloads of a worker's frames as values. Everything here is hostile input: what does not
// parse is nullopt.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_WORKER_MESSAGES_H_
#define CELLBLOCK_SANDBOX_RUNTIME_WORKER_MESSAGES_H_

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/frame.h"
#include "sandbox/runtime/outcome.h"
#include "sandbox/runtime/worker.h"

namespace cellblock {

struct DoneMessage {
  Evidence::Frame status = Evidence::Frame::kNone;
  int64_t execution_count = 0;
  int exit_code = 0;
  std::map<std::string, UserExpressionResult> expressions;
  std::optional<CellEvent> value;  // shown with the end
};

struct WorkerMessage {
  std::variant<CellEvent, DoneMessage> body;
  bool wants_reply = false;  // kShown, once what was printed before has been read
};

std::optional<WorkerMessage> DecodeWorkerMessage(FrameType type, const std::string& payload);
std::optional<Worker::ReadyInfo> DecodeReady(const std::string& payload);

std::string EncodeRunCell(const CellRequest& request);
std::string EncodeInputReply(const std::string& text, bool end_of_file);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_WORKER_MESSAGES_H_
