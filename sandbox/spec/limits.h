// The numbers of a policy. Sizes are bytes.
#ifndef CELLBLOCK_SANDBOX_SPEC_LIMITS_H_
#define CELLBLOCK_SANDBOX_SPEC_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace cellblock {

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

struct OutputCaps {
  int64_t keep_head_bytes = 0;
  int64_t keep_tail_bytes = 0;
  int64_t max_total_bytes = 0;  // 0 = no limit
  int64_t max_events = 0;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_LIMITS_H_
