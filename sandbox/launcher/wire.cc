#include "sandbox/launcher/wire.h"

#include "internal/launcher.pb.h"

namespace cellblock::launcher {

void ToWire(const Facility& facility, internal::Facility* out) {
  out->set_name(facility.name);
  out->set_enforcement(static_cast<int>(facility.enforcement));
  out->set_how(facility.how);
  out->set_value(facility.value);
  out->set_gap(facility.gap);
}

}  // namespace cellblock::launcher
