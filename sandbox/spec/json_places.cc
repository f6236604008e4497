#include "sandbox/spec/json_places.h"

#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

constexpr size_t kMaxDepth = 32;

// Reads just enough of JSON: nesting, keys and strings. Values are protobuf's to judge.
class Scanner {
 public:
  Scanner(absl::string_view text, FieldPlaces* places, std::vector<PolicyFinding>* findings)
      : text_(text), places_(places), findings_(findings) {}

  bool Scan() {
    do {
      if (!Step()) return false;
      SkipSpace();
    } while (at_ < text_.size());
    return open_.empty() || Wrong("ends before its last bracket is closed");
  }

 private:
  struct Level {
    bool object;
    std::string path;  // of the value as a whole
    int index = 0;     // of the element being read, in an array
    bool wants_key;    // in an object: a string is a key
    std::set<std::string> keys;
  };

  bool Wrong(absl::string_view what) {
    findings_->push_back({{places_->file(), line_}, value_path_, std::string(what)});
    return false;
  }

  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) {
      line_ += text_[at_] == '\n';
      ++at_;
    }
  }

  bool Step() {
    SkipSpace();
    if (at_ == text_.size()) return Wrong("ends too early");
    const char c = text_[at_];
    if (c == '"') return String();
    ++at_;
    switch (c) {
      case '{':
      case '[':
        return Open(c == '{');
      case '}':
      case ']':
        return Close(c == '}');
      case ',':
        return Comma();
      default:
        return true;  // ':', numbers, true, false, null
    }
  }

  bool Open(bool object) {
    if (open_.size() == kMaxDepth) return Wrong("is nested deeper than any policy");
    open_.push_back({object, CurrentPath(), 0, object, {}});
    if (!object) MarkElement();
    return true;
  }

  bool Close(bool object) {
    if (open_.empty() || open_.back().object != object)
      return Wrong("has brackets that do not match");
    open_.pop_back();
    return true;
  }

  bool Comma() {
    if (open_.empty()) return Wrong("has a comma outside of all brackets");
    Level& level = open_.back();
    level.wants_key = level.object;
    ++level.index;
    if (!level.object) MarkElement();
    return true;
  }

  std::string CurrentPath() const {
    if (open_.empty()) return "";
    const Level& level = open_.back();
    return level.object ? value_path_ : absl::StrCat(level.path, "[", level.index, "]");
  }

  void MarkElement() {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] != ']') {
      places_->Add(CurrentPath(), {places_->file(), line_});
    }
  }

  bool String() {
    const size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\n') return Wrong("has a string that is not closed on its line");
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size()) return Wrong("has a string that is not closed");
    const absl::string_view content = text_.substr(start, at_ - start);
    ++at_;
    if (open_.empty() || !open_.back().wants_key) return true;
    return Key(SnakeCase(content));
  }

  bool Key(const std::string& key) {
    Level& level = open_.back();
    level.wants_key = false;
    value_path_ = level.path.empty() ? key : absl::StrCat(level.path, ".", key);
    if (!level.keys.insert(key).second) return Wrong("comes twice in one object");
    places_->Add(value_path_, {places_->file(), line_});
    return true;
  }

  absl::string_view text_;
  FieldPlaces* places_;
  std::vector<PolicyFinding>* findings_;
  size_t at_ = 0;
  int line_ = 1;
  std::string value_path_;  // of the last key
  std::vector<Level> open_;
};

}  // namespace

std::string SnakeCase(absl::string_view key) {
  std::string name;
  for (const char c : key) {
    if (absl::ascii_isupper(c)) name += '_';
    name += absl::ascii_tolower(c);
  }
  return name;
}

bool FindJsonPlaces(absl::string_view text, FieldPlaces* places,
                    std::vector<PolicyFinding>* findings) {
  return Scanner(text, places, findings).Scan();
}

}  // namespace cellblock
