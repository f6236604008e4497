#include "sandbox/launcher/wire.h"

#include "internal/launcher.pb.h"

namespace cellblock::launcher {

Limits FromWire(const internal::Limits& limits) {
  Limits values;
  values.memory_bytes = limits.memory_bytes();
  values.pids = limits.pids();
  values.cpu_millis = limits.cpu_millis();
  values.cpu_weight = limits.cpu_weight() != 0 ? limits.cpu_weight() : 100;
  values.disk_bytes = limits.disk_bytes();
  values.disk_inodes = limits.disk_inodes();
  values.shm_bytes = limits.shm_bytes();
  values.open_files = limits.open_files();
  values.file_size_bytes = limits.file_size_bytes();
  values.stack_bytes = limits.stack_bytes();
  return values;
}

void ToWire(const Facility& facility, internal::Facility* out) {
  out->set_name(facility.name);
  out->set_enforcement(static_cast<int>(facility.enforcement));
  out->set_how(facility.how);
  out->set_value(facility.value);
  out->set_gap(facility.gap);
}

}  // namespace cellblock::launcher
