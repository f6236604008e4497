// One thing that a host enforces, or does not, and how. Travels from the launcher to every client.
#ifndef CELLBLOCK_SANDBOX_SPEC_FACILITY_H_
#define CELLBLOCK_SANDBOX_SPEC_FACILITY_H_

#include <string>

namespace cellblock {

// The numbers are those of cellblock.v1.Enforcement.
enum class Enforcement { kKernel = 1, kEmulated = 2, kAbsent = 3 };

struct Facility {
  std::string name;
  Enforcement enforcement = Enforcement::kAbsent;
  std::string how;
  std::string value;  // read back from the kernel, "" if it has none
  std::string gap;    // what is not covered, "" if nothing
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SPEC_FACILITY_H_
