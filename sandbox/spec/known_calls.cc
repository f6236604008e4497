#include "sandbox/spec/known_calls.h"

#include <seccomp.h>

namespace cellblock {

int CallNumber(const std::string& name) {
  return seccomp_syscall_resolve_name(name.c_str());
}

bool IsKnownCall(const std::string& name) {
  return CallNumber(name) != __NR_SCMP_ERROR;
}

}  // namespace cellblock
