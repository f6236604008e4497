// Sentences about how things ended, from the messages of the API. Everything foreign in them is
// escaped: they are safe to show.
#ifndef CELLBLOCK_TOOLS_CLI_OUTPUT_DESCRIBE_H_
#define CELLBLOCK_TOOLS_CLI_OUTPUT_DESCRIBE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace google::protobuf {
class Duration;
}
namespace cellblock::v1 {
class CellResult;
class Progress;
}  // namespace cellblock::v1

namespace cellblock::cli {

// "1.5 GiB", "12 bytes".
std::string Bytes(int64_t count);
// "12 s", "2 min 5 s".
std::string Seconds(absl::Duration time);
absl::Duration FromProto(const google::protobuf::Duration& duration);

// "out of memory: ...; the interpreter was lost: variables are gone, files are kept". An exception
// is told by its traceback; then only what the traceback does not say, "" if that is nothing.
std::string DescribeEnd(const v1::CellResult& result);
// One line for each refused act.
std::vector<std::string> DescribeDenials(const v1::CellResult& result);
std::string DescribeProgress(const v1::Progress& progress);
// What failed, where, and the way out if one is known.
std::string DescribeError(const absl::Status& status);

}  // namespace cellblock::cli

#endif  // CELLBLOCK_TOOLS_CLI_OUTPUT_DESCRIBE_H_
