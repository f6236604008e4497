#include "sandbox/spec/policy_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/base/utf8.h"
#include "sandbox/spec/json_places.h"

namespace cellblock {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (line_ != 0) return;
    line_ = line + 1;
    text_ = absl::StrCat("column ", column + 1, ": ", message);
  }
  int line() const { return line_; }
  const std::string& text() const { return text_; }

 private:
  int line_ = 0;
  std::string text_;
};

// The whole tree as paths. Also has the fields that were set to 0, which the message has not.
void Flatten(const TextFormat::ParseInfoTree& tree, const Descriptor& message,
             const std::string& prefix, FieldPlaces* places) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor* field = message.field(i);
    const bool list = field->is_repeated();
    for (int index = list ? 0 : -1;; ++index) {
      const int line = tree.GetLocation(field, index).line;
      if (line < 0) break;
      const std::string path = list ? absl::StrCat(prefix, field->name(), "[", index, "]")
                                    : absl::StrCat(prefix, field->name());
      places->Add(path, {places->file(), line + 1});
      const TextFormat::ParseInfoTree* nested =
          field->message_type() != nullptr ? tree.GetTreeForNested(field, index) : nullptr;
      if (nested != nullptr) Flatten(*nested, *field->message_type(), path + ".", places);
      if (!list) break;
    }
  }
}

bool ParseText(absl::string_view text, ParsedPolicy* parsed, std::vector<PolicyFinding>* findings) {
  FirstError error;
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&tree);
  if (!parser.ParseFromString(std::string(text), parsed->message.get())) {
    findings->push_back({{parsed->places.file(), error.line()}, "", error.text()});
    return false;
  }
  Flatten(tree, *v1::Policy::descriptor(), "", &parsed->places);
  return true;
}

// protobuf says "nope: Cannot find field.", "(limits) nope: ..." or "(limits.pids): invalid value
// ...": the path gives the line.
PolicyFinding JsonFinding(const FieldPlaces& places, absl::string_view message) {
  PolicyFinding finding;
  finding.what = absl::CHexEscape(absl::StripAsciiWhitespace(message));
  std::string path;
  const size_t close = message.find(')');
  if (absl::ConsumePrefix(&message, "(") && close != absl::string_view::npos) {
    path = std::string(message.substr(0, close - 1));
    message.remove_prefix(close);
    absl::ConsumePrefix(&message, " ");
  }
  const std::string key = SnakeCase(message.substr(0, message.find(':')));
  if (!key.empty()) path = path.empty() ? key : absl::StrCat(path, ".", key);
  finding.field = places.Has(path) ? path : "";
  finding.place = places.Find(path);
  return finding;
}

bool ParseJson(absl::string_view text, ParsedPolicy* parsed, std::vector<PolicyFinding>* findings) {
  if (!FindJsonPlaces(text, &parsed->places, findings)) return false;
  const auto status = google::protobuf::util::JsonStringToMessage(
      std::string(text), parsed->message.get(), google::protobuf::util::JsonParseOptions());
  if (status.ok()) return true;
  findings->push_back(JsonFinding(parsed->places, std::string(status.message())));
  return false;
}

// 0 if the text is UTF-8 throughout.
int LineThatIsNotUtf8(absl::string_view text) {
  const size_t valid = ValidUtf8Prefix(text);
  if (valid == text.size()) return 0;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + valid, '\n'));
}

}  // namespace

std::optional<ParsedPolicy> ParsePolicyText(absl::string_view text, const std::string& file,
                                            std::vector<PolicyFinding>* findings) {
  ParsedPolicy parsed{std::make_shared<v1::Policy>(), FieldPlaces(file)};
  if (text.size() > kMaxPolicyBytes) {
    findings->push_back({{file, 0}, "", absl::StrCat("is larger than 1 MiB: no policy is")});
    return std::nullopt;
  }
  if (const int line = LineThatIsNotUtf8(text); line != 0) {
    findings->push_back({{file, line}, "", "is not UTF-8: save the file in that encoding"});
    return std::nullopt;
  }
  const absl::string_view start = absl::StripLeadingAsciiWhitespace(text);
  const bool json = !start.empty() && start.front() == '{';
  const bool good = json ? ParseJson(text, &parsed, findings) : ParseText(text, &parsed, findings);
  return good ? std::make_optional(std::move(parsed)) : std::nullopt;
}

}  // namespace cellblock
