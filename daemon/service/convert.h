// Values to messages and back; the only place that knows both. Text that came from a worker may be
// anything and is made valid UTF-8 here, because a proto3 string that is not would be refused by
// the client. The generated headers are the .cc files' business.
#ifndef CELLBLOCK_DAEMON_SERVICE_CONVERT_H_
#define CELLBLOCK_DAEMON_SERVICE_CONVERT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "daemon/session/execution.h"
#include "daemon/session/session.h"
#include "sandbox/runtime/cell.h"
#include "sandbox/runtime/init_client.h"
#include "sandbox/spec/facility.h"

namespace google::protobuf {
class Duration;
class Timestamp;
}  // namespace google::protobuf

namespace cellblock::v1 {
class Capability;
class CellError;
class CellResult;
class ExecuteEvent;
class Execution;
class FileInfo;
class MimeBundle;
class Session;
class WipeReceipt;
}  // namespace cellblock::v1

namespace cellblock {

// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string Utf8(absl::string_view text);
bool IsUtf8(absl::string_view text);

void ToProto(absl::Duration duration, google::protobuf::Duration* out);
void ToProto(absl::Time time, google::protobuf::Timestamp* out);
absl::Duration FromProto(const google::protobuf::Duration& duration);

void ToProto(const Facility& facility, v1::Capability* out);
void ToProto(const Session& session, v1::Session* out);
void ToProto(const FileEntry& entry, v1::FileInfo* out);
void ToProto(const WipeReport& report, v1::WipeReceipt* out);
void ToProto(const Execution& execution, v1::Execution* out);

// convert_event.cc
void ToProto(const MimeBundle& bundle, v1::MimeBundle* out);
void ToProto(const CellError& error, v1::CellError* out);
void ToProto(const CellResult& result, v1::CellResult* out);
void ToProto(const LoggedEvent& event, const std::string& execution_id, v1::ExecuteEvent* out);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_CONVERT_H_
