#include "sandbox/spec/field_places.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace cellblock {

SourcePlace FieldPlaces::Find(absl::string_view path) const {
  std::string rest(path);
  while (!rest.empty()) {
    const auto found = places_.find(rest);
    if (found != places_.end()) return found->second;
    // "rules[3]" is looked for before "rules": its own line, not the list's first.
    const size_t end = rest.find_last_of(".[");
    rest.resize(end == std::string::npos ? 0 : end);
  }
  return {file_, 0};
}

void FieldPlaces::Remove(const std::string& path) {
  for (auto it = places_.begin(); it != places_.end();) {
    const bool inside = it->first == path || absl::StartsWith(it->first, path + ".") ||
                        absl::StartsWith(it->first, path + "[");
    it = inside ? places_.erase(it) : std::next(it);
  }
}

void FieldPlaces::Append(const FieldPlaces& other,
                         const std::function<std::string(const std::string&)>& renamed) {
  file_ = other.file_;
  for (const auto& [path, place] : other.places_) {
    std::string own = renamed(path);
    // A message that both have, such as `limits`, stays where the parent has it.
    if (!own.empty()) places_.emplace(std::move(own), place);
  }
}

}  // namespace cellblock
