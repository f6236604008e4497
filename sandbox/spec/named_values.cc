#include "sandbox/spec/named_values.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cellblock/v1/policy.pb.h"
#include "sandbox/spec/argument_names.h"

namespace cellblock {
namespace {

using Names = google::protobuf::RepeatedPtrField<std::string>;

class Resolver {
 public:
  Resolver(const FieldPlaces& places, std::vector<PolicyFinding>* findings)
      : places_(places), findings_(findings) {}

  void Resolve(v1::SyscallRule* rule, const std::string& field) {
    for (int i = 0; i < rule->when_size(); ++i) {
      ResolveTest(*rule, rule->mutable_when(i), absl::StrCat(field, ".when[", i, "]."));
    }
  }

 private:
  void Error(const std::string& field, std::string what) {
    findings_->push_back({places_.Find(field), field, std::move(what)});
  }

  void ResolveTest(const v1::SyscallRule& rule, v1::ArgumentTest* test, const std::string& field) {
    if (test->names().empty() && test->mask_names().empty()) return;
    const std::vector<uint32_t> values = ValuesOf(rule, *test, test->names(), field + "names");
    const std::vector<uint32_t> bits =
        ValuesOf(rule, *test, test->mask_names(), field + "mask_names");
    if (test->symbol().empty()) {
      test->set_symbol(
          absl::StrJoin(test->names().empty() ? test->mask_names() : test->names(), ", "));
    }
    if (!values.empty()) SetValues(test, values, field);
    if (!bits.empty()) SetMask(test, bits, field);
    test->set_low_32_bits(true);
    test->clear_names();
    test->clear_mask_names();
  }

  std::vector<uint32_t> ValuesOf(const v1::SyscallRule& rule, const v1::ArgumentTest& test,
                                 const Names& names, const std::string& field) {
    std::vector<uint32_t> values;
    for (int i = 0; i < names.size(); ++i) {
      const std::string own_field = absl::StrCat(field, "[", i, "]");
      if (rule.calls().empty()) {
        Error(own_field, "a rule for a group takes no names: the calls differ in their arguments");
        return values;
      }
      std::optional<uint32_t> value;
      for (const std::string& call : rule.calls()) {
        const ArgumentFamily* family = FamilyOf(call, test.argument());
        value = family != nullptr ? FindConstant(*family, names[i]) : std::nullopt;
        if (!value) {
          ErrorName(own_field, names[i], call, test.argument());
          break;
        }
      }
      if (value) values.push_back(*value);
    }
    return values;
  }

  void ErrorName(const std::string& field, const std::string& name, const std::string& call,
                 int argument) {
    const std::string place = WhereConstantBelongs(name);
    Error(field, place.empty() ? absl::StrCat("no constant is known as ", absl::CHexEscape(name),
                                              ": give its number in value or values")
                               : absl::StrCat(name, " belongs to ", place, ", not to ",
                                              absl::CHexEscape(call), " argument ", argument));
  }

  void SetValues(v1::ArgumentTest* test, const std::vector<uint32_t>& values,
                 const std::string& field) {
    if (test->value() != 0 || !test->values().empty()) {
      return Error(field + "names", "stands beside value or values: use one of them");
    }
    switch (test->comparison()) {
      case v1::ArgumentTest::ONE_OF:
      case v1::ArgumentTest::NONE_OF:
        test->mutable_values()->Add(values.begin(), values.end());
        return;
      case v1::ArgumentTest::MASKED_EQUAL:
        for (const uint32_t value : values) test->set_value(test->value() | value);
        return;
      default:
        if (values.size() > 1)
          return Error(field + "names", "EQUAL takes one; ONE_OF takes several");
        test->set_value(values.front());
    }
  }

  void SetMask(v1::ArgumentTest* test, const std::vector<uint32_t>& bits,
               const std::string& field) {
    if (test->mask() != 0) {
      return Error(field + "mask_names", "stands beside mask: use one of them");
    }
    for (const uint32_t bit : bits) test->set_mask(test->mask() | bit);
  }

  const FieldPlaces& places_;
  std::vector<PolicyFinding>* findings_;
};

}  // namespace

void ResolveNames(v1::Policy* message, const FieldPlaces& places,
                  std::vector<PolicyFinding>* findings) {
  Resolver resolver(places, findings);
  for (int i = 0; i < message->syscalls().rules_size(); ++i) {
    resolver.Resolve(message->mutable_syscalls()->mutable_rules(i),
                     absl::StrCat("syscalls.rules[", i, "]"));
  }
  for (int i = 0; i < message->dangerous().syscalls_size(); ++i) {
    resolver.Resolve(message->mutable_dangerous()->mutable_syscalls(i),
                     absl::StrCat("dangerous.syscalls[", i, "]"));
  }
}

}  // namespace cellblock
