// The numbers of a policy. Sizes are bytes.
#ifndef CELLBLOCK_SANDBOX_SPEC_LIMITS_H_
#define CELLBLOCK_SANDBOX_SPEC_LIMITS_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace cellblock {

namespace internal {
class Limits;
}

struct Limits {
  int64_t memory_bytes = 0;
  int64_t pids = 0;        // processes and threads, init included
  int64_t cpu_millis = 0;  // thousandths of one CPU; 0 = all
  int64_t cpu_weight = 100;
  int64_t disk_bytes = 0;
  int64_t disk_inodes = 0;
  int64_t shm_bytes = 0;
  int64_t open_files = 0;
  int64_t file_size_bytes = 0;
  int64_t stack_bytes = 0;
  absl::Duration max_cell_time;
  absl::Duration max_cell_cpu;  // 0 = no limit of its own
  absl::Duration interrupt_grace;
};

// Of a configuration or a request; unset is 0, and 100 for cpu_weight.
Limits LimitsFrom(const internal::Limits& message);

// One limit beside the operator's ceiling of it.
struct CeilingPair {
  const char* field;
  int64_t value = 0, ceiling = 0;  // ceiling 0 = none
  bool zero_is_all = false;
  bool above() const { return ceiling > 0 && (value > ceiling || (zero_is_all && value == 0)); }
};
// Every limit that can have a ceiling: what the launcher enforces and the lint foretells.
std::vector<CeilingPair> WithCeiling(const Limits& limits, const Limits& ceiling);

struct OutputCaps {
  int64_t keep_head_bytes = 0;
  int64_t keep_tail_bytes = 0;
  int64_t max_total_bytes = 0;  // 0 = no limit
  int64_t max_events = 0;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_LIMITS_H_
