// The launcher's own configuration, parsed and checked once. Every request is checked against it.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_SETTINGS_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_SETTINGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sandbox/spec/limits.h"

namespace cellblock::launcher {

struct Settings {
  std::string run_dir;
  std::string state_dir;
  std::string init_path;
  std::string worker_dir;
  uint32_t uid_base = 0;
  uint32_t uid_count = 0;
  std::vector<std::string> image_roots;
  std::string image_store;  // "" = none
  bool host_image = false;
  bool cgroups_required = false;
  std::string cgroup_root;
  Limits ceiling;  // zero: none
  int max_sandboxes = 0;
  std::map<std::string, std::string> read_only_roots;  // name, path
};

// INVALID_ARGUMENT names the field.
absl::StatusOr<Settings> ParseSettings(absl::string_view text);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_SETTINGS_H_
