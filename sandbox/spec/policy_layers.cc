#include "sandbox/spec/policy_layers.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/duration.pb.h>

#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cellblock/v1/policy.pb.h"

namespace cellblock {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Said by each file for itself, never inherited.
constexpr const char* kOwn[] = {"name", "description", "extends", "replace"};

bool IsOwn(const std::string& name) {
  return std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
}

// A value that is set as a whole, although it is a message.
bool IsSingle(const FieldDescriptor& field) {
  return field.message_type() == nullptr ||
         field.message_type() == google::protobuf::Duration::descriptor();
}

// Puts one policy on top of what it extends.
class Merger {
 public:
  Merger(ResolvedPolicy* base, const ParsedPolicy& top, std::vector<PolicyFinding>* findings)
      : base_(base->policy), top_(top), findings_(findings) {}

  bool Merge() {
    const size_t before = findings_->size();
    for (const char* name : kOwn) Drop(name);
    for (int i = 0; i < top_.message->replace_size(); ++i) {
      Replace(top_.message->replace(i), absl::StrCat("replace[", i, "]"));
    }
    CheckSingles(*v1::Policy::descriptor(), "");
    if (findings_->size() > before) return false;
    // The lists' lengths are needed before they grow.
    base_.places.Append(top_.places, [this](const std::string& path) { return Renamed(path); });
    base_.message->MergeFrom(*top_.message);
    return true;
  }

 private:
  void Error(const std::string& field, std::string what) {
    findings_->push_back({top_.places.Find(field), field, std::move(what)});
  }

  // The message that a path of plain names ends in, with its last field; nullptr if there is none.
  static const FieldDescriptor* Walk(const std::string& path, Message** message) {
    const std::vector<std::string> names = absl::StrSplit(path, '.');
    const FieldDescriptor* field = nullptr;
    for (size_t i = 0; i < names.size(); ++i) {
      field = (*message)->GetDescriptor()->FindFieldByName(names[i]);
      if (field == nullptr || i + 1 == names.size()) return field;
      if (field->is_repeated() || IsSingle(*field)) return nullptr;
      *message = (*message)->GetReflection()->MutableMessage(*message, field);
    }
    return field;
  }

  void Drop(const std::string& path) {
    Message* message = base_.message.get();
    const FieldDescriptor* field = Walk(path, &message);
    if (field != nullptr) message->GetReflection()->ClearField(message, field);
    base_.places.Remove(path);
  }

  bool BaseHas(const std::string& path) const {
    return base_.places.Has(path) || base_.places.Has(path + "[0]");
  }

  void Replace(const std::string& path, const std::string& field) {
    Message* message = base_.message.get();
    if (Walk(path, &message) == nullptr || IsOwn(path)) {
      return Error(field, absl::StrCat("no such part of a policy: ", absl::CHexEscape(path)));
    }
    if (!replaced_.insert(path).second) return Error(field, path + " is named twice");
    if (!BaseHas(path)) {
      return Error(field, absl::StrCat("what this policy extends has no ", path,
                                       ": there is nothing to replace"));
    }
    Drop(path);
  }

  void CheckSingles(const Descriptor& message, const std::string& prefix) {
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      const std::string path = absl::StrCat(prefix, field.name());
      if (field.is_repeated() || IsOwn(path)) continue;
      if (!IsSingle(field)) {
        CheckSingles(*field.message_type(), path + ".");
      } else if (top_.places.Has(path) && base_.places.Has(path)) {
        Error(path, absl::StrCat("is set by ", base_.places.Find(path).ToString(),
                                 ", and extending only appends: add replace: \"", path,
                                 "\" to set another value"));
      }
    }
  }

  // Elements of the top's lists come after those of the base.
  std::string Renamed(const std::string& path) const {
    const size_t open = path.find('[');
    if (open == std::string::npos) return path == "extends" ? "" : path;
    const std::string list = path.substr(0, open);
    if (list == "replace") return "";
    const size_t close = path.find(']', open);
    const int index = std::stoi(path.substr(open + 1, close - open - 1));
    return absl::StrCat(list, "[", index + LengthInBase(list), path.substr(close));
  }

  int LengthInBase(const std::string& list) const {
    Message* message = base_.message.get();
    const FieldDescriptor* field = Walk(list, &message);
    return field == nullptr ? 0 : message->GetReflection()->FieldSize(*message, field);
  }

  ParsedPolicy& base_;
  const ParsedPolicy& top_;
  std::vector<PolicyFinding>* findings_;
  std::set<std::string> replaced_;
};

// The policy itself first, its base last.
bool ReadLayers(const PolicySource& source, const FindPolicy& find,
                std::vector<PolicyFinding>* findings, std::vector<ParsedPolicy>* layers) {
  std::vector<std::string> names;
  PolicySource current = source;
  for (;;) {
    std::optional<ParsedPolicy> parsed = ParsePolicyText(current.text, current.file, findings);
    if (!parsed) return false;
    layers->push_back(*std::move(parsed));
    const v1::Policy& message = *layers->back().message;
    const FieldPlaces& places = layers->back().places;
    const auto error = [&](const std::string& field, const std::string& what) {
      findings->push_back({places.Find(field), field, what});
      return false;
    };
    if (!names.empty() && message.name() != names.back()) {
      return error("name", absl::StrCat("must be \"", names.back(),
                                        "\": a policy that another extends is named as its file"));
    }
    if (names.empty()) names.push_back(message.name());
    if (message.extends().empty()) {
      if (message.replace().empty()) return true;
      return error("replace[0]", "belongs to a policy that extends another");
    }
    const std::string& parent = message.extends();
    if (std::find(names.begin(), names.end(), parent) != names.end()) {
      return error("extends", absl::StrCat("goes round in a circle: ", absl::StrJoin(names, ", "),
                                           ", ", parent));
    }
    if (layers->size() == kMaxLayers) {
      return error("extends", absl::StrCat("is more than ", kMaxLayers, " policies deep"));
    }
    names.push_back(parent);
    absl::StatusOr<PolicySource> next = find(parent);
    if (!next.ok()) return error("extends", std::string(next.status().message()));
    current = *std::move(next);
  }
}

}  // namespace

std::optional<ResolvedPolicy> ResolveLayers(const PolicySource& source, const FindPolicy& find,
                                            std::vector<PolicyFinding>* findings) {
  std::vector<ParsedPolicy> layers;
  if (!ReadLayers(source, find, findings, &layers)) return std::nullopt;
  ResolvedPolicy resolved{std::move(layers.back()), {}};
  resolved.files.push_back(resolved.policy.places.file());
  for (size_t i = layers.size() - 1; i-- > 0;) {
    if (!Merger(&resolved, layers[i], findings).Merge()) return std::nullopt;
    resolved.files.push_back(layers[i].places.file());
  }
  resolved.policy.message->clear_extends();
  resolved.policy.message->clear_replace();
  return resolved;
}

}  // namespace cellblock
