#include "sandbox/spec/limits.h"

#include "internal/launcher.pb.h"

namespace cellblock {

Limits LimitsFrom(const internal::Limits& message) {
  Limits limits;
  limits.memory_bytes = message.memory_bytes();
  limits.pids = message.pids();
  limits.cpu_millis = message.cpu_millis();
  limits.cpu_weight = message.cpu_weight() != 0 ? message.cpu_weight() : 100;
  limits.disk_bytes = message.disk_bytes();
  limits.disk_inodes = message.disk_inodes();
  limits.shm_bytes = message.shm_bytes();
  limits.open_files = message.open_files();
  limits.file_size_bytes = message.file_size_bytes();
  limits.stack_bytes = message.stack_bytes();
  return limits;
}

std::vector<CeilingPair> WithCeiling(const Limits& limits, const Limits& ceiling) {
  return {{"limits.memory_bytes", limits.memory_bytes, ceiling.memory_bytes},
          {"limits.pids", limits.pids, ceiling.pids},
          {"limits.cpu_millis", limits.cpu_millis, ceiling.cpu_millis, /*zero_is_all=*/true},
          {"limits.disk_bytes", limits.disk_bytes, ceiling.disk_bytes},
          {"limits.disk_inodes", limits.disk_inodes, ceiling.disk_inodes},
          {"limits.shm_bytes", limits.shm_bytes, ceiling.shm_bytes},
          {"limits.open_files", limits.open_files, ceiling.open_files},
          {"limits.file_size_bytes", limits.file_size_bytes, ceiling.file_size_bytes},
          {"limits.stack_bytes", limits.stack_bytes, ceiling.stack_bytes}};
}

}  // namespace cellblock
