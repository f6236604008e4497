// Small conversions between the launcher's wire messages and values. Included by .cc files only.
#ifndef CELLBLOCK_SANDBOX_LAUNCHER_WIRE_H_
#define CELLBLOCK_SANDBOX_LAUNCHER_WIRE_H_

#include "sandbox/spec/facility.h"

namespace cellblock::internal {
class Facility;
}  // namespace cellblock::internal

namespace cellblock::launcher {

void ToWire(const Facility& facility, internal::Facility* out);

}  // namespace cellblock::launcher

#endif  // CELLBLOCK_SANDBOX_LAUNCHER_WIRE_H_
