#include "tools/cli/session_flags.h"

#include <google/protobuf/duration.pb.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {

void AddSessionFlags(CLI::App* app, SessionFlags* flags) {
  app->add_option("--image", flags->image,
                  "Root file system: host (this machine's /usr), dir:/path, or a name that the "
                  "daemon knows")
      ->type_name("IMAGE");
  app->add_option("--policy", flags->policy, "What the cells may do; default: python")
      ->type_name("NAME");
  app->add_option("--env", flags->environment, "Environment variable for the cells; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app->add_option("--time-zone", flags->time_zone, "E.g. Europe/Berlin; default: UTC")
      ->type_name("ZONE");
}

absl::Status FillRequest(const SessionFlags& flags, v1::CreateSessionRequest* request) {
  request->set_image(flags.image);
  request->set_policy(flags.policy);
  request->set_time_zone(flags.time_zone);
  for (const std::string& pair : flags.environment) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--env ", OneLine(pair), ": write it as KEY=VALUE"));
    }
    (*request->mutable_environment())[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> ParseTime(absl::string_view text) {
  const bool bare = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  absl::Duration time;
  if (!absl::ParseDuration(absl::StrCat(text, bare ? "s" : ""), &time) ||
      time <= absl::ZeroDuration() || time == absl::InfiniteDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat(OneLine(text), ": not a time; write it like 30s, 5m or 1h30m"));
  }
  return time;
}

void ToProto(absl::Duration time, google::protobuf::Duration* proto) {
  proto->set_seconds(absl::IDivDuration(time, absl::Seconds(1), &time));
  proto->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(time)));
}

}  // namespace cellblock::cli
