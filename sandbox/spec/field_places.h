// Where each field of a policy stands, by its path: "syscalls.rules[3].when[0].value". A policy
// that extends another has places in several files. A value.
#ifndef CELLBLOCK_SANDBOX_SPEC_FIELD_PLACES_H_
#define CELLBLOCK_SANDBOX_SPEC_FIELD_PLACES_H_

#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "sandbox/spec/finding.h"

namespace cellblock {

class FieldPlaces {
 public:
  // `file` is where a field with no place is missed.
  explicit FieldPlaces(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  const std::map<std::string, SourcePlace>& all() const { return places_; }
  void Add(std::string path, SourcePlace place) { places_[std::move(path)] = std::move(place); }
  bool Has(const std::string& path) const { return places_.count(path) != 0; }

  // The field's place, or that of the nearest message around it which has one.
  SourcePlace Find(absl::string_view path) const;
  // Forgets a field and all that lies in it.
  void Remove(const std::string& path);
  // Takes over the places of a policy that extends this one. `renamed` says what a path of the
  // other is called here; "" = not taken over.
  void Append(const FieldPlaces& other,
              const std::function<std::string(const std::string& path)>& renamed);

 private:
  std::string file_;
  std::map<std::string, SourcePlace> places_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_FIELD_PLACES_H_
