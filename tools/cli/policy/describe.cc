#include "tools/cli/policy/describe.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "sandbox/spec/argument_names.h"
#include "tools/cli/output/describe.h"
#include "tools/cli/output/neutralize.h"
#include "tools/cli/policy/named_policy.h"

namespace cellblock::cli {
namespace {

PolicyValue Size(const char* field, int64_t bytes) {
  return {field, absl::StrCat(bytes, " (", Bytes(bytes), ")"), bytes, {}};
}
PolicyValue Count(const char* field, int64_t count) {
  return {field, absl::StrCat(count), count, {}};
}
PolicyValue Time(const char* field, absl::Duration time) {
  return {field, absl::FormatDuration(time), absl::ToInt64Nanoseconds(time), {}};
}
PolicyValue OrNoLimit(PolicyValue value, const char* none) {
  if (value.amount != 0) return value;
  value.text = none;
  value.amount = INT64_MAX;
  return value;
}

// "A", "A or B", "A, B or C".
std::string AnyOf(const std::vector<std::string>& names) {
  if (names.size() < 2) return absl::StrJoin(names, "");
  return absl::StrCat(absl::StrJoin(names.begin(), names.end() - 1, ", "), " or ", names.back());
}

}  // namespace

std::vector<PolicyValue> ValuesOf(const Policy& policy) {
  const Limits& limits = policy.limits();
  const OutputCaps& output = policy.output();
  const bool executable = policy.executable_work_dir();
  std::vector<PolicyValue> values = {
      Size("limits.memory_bytes", limits.memory_bytes),
      Count("limits.pids", limits.pids),
      OrNoLimit(Count("limits.cpu_millis", limits.cpu_millis), "all CPUs"),
      Count("limits.cpu_weight", limits.cpu_weight),
      Size("limits.disk_bytes", limits.disk_bytes),
      Count("limits.disk_inodes", limits.disk_inodes),
      Size("limits.shm_bytes", limits.shm_bytes),
      Count("limits.open_files", limits.open_files),
      Size("limits.file_size_bytes", limits.file_size_bytes),
      Size("limits.stack_bytes", limits.stack_bytes),
      Time("limits.max_cell_time", limits.max_cell_time),
      OrNoLimit(Time("limits.max_cell_cpu", limits.max_cell_cpu), "no limit of its own"),
      Time("limits.interrupt_grace", limits.interrupt_grace),
      Size("output.keep_head_bytes", output.keep_head_bytes),
      Size("output.keep_tail_bytes", output.keep_tail_bytes),
      OrNoLimit(Size("output.max_total_bytes", output.max_total_bytes), "no limit"),
      Count("output.max_events", output.max_events),
      {"filesystem.executable_work_dir", executable ? "yes" : "no", executable, {}},
      {"time_zone",
       policy.time_zone().empty() ? "the session's choice" : policy.time_zone(),
       0,
       {}}};
  for (PolicyValue& value : values) {
    // The nearest message around a field that nobody has set would name the wrong line.
    if (policy.IsSet(value.field)) value.place = policy.PlaceOf(value.field);
  }
  return values;
}

std::string ShortPlace(const SourcePlace& place) {
  const std::string folder = InstalledPolicies() + "/";
  SourcePlace shorter = place;
  if (absl::StartsWith(place.file, folder)) shorter.file = place.file.substr(folder.size());
  return OneLine(shorter.ToString());
}

std::string DescribeTest(const std::string& call, const ArgumentTest& test) {
  const ArgumentFamily* family = FamilyOf(call, test.argument);
  std::vector<std::string> names;
  for (const uint64_t value : test.values) names.push_back(NameOfValue(family, value));
  const std::string argument = absl::StrCat("argument ", test.argument);
  switch (test.comparison) {
    case ArgumentTest::Comparison::kEqual:
      return absl::StrCat(argument, " is ", NameOfValue(family, test.value));
    case ArgumentTest::Comparison::kMaskedEqual:
      if (test.value == 0) {
        return absl::StrCat(argument, " has no bit of ", NameOfValue(family, test.mask));
      }
      return absl::StrCat(argument, " has ", NameOfValue(family, test.value), " of the bits ",
                          NameOfValue(family, test.mask));
    case ArgumentTest::Comparison::kOneOf:
      return absl::StrCat(argument, " is ", AnyOf(names));
    case ArgumentTest::Comparison::kNoneOf:
      return absl::StrCat(argument, " is not ", AnyOf(names));
  }
  return "";
}

std::string DescribeTests(const std::string& call, const SyscallRule& rule) {
  std::vector<std::string> texts;
  for (const ArgumentTest& test : rule.when) texts.push_back(DescribeTest(call, test));
  return absl::StrJoin(texts, " and ");
}

}  // namespace cellblock::cli
