#include "sandbox/spec/known_calls.h"

#include <seccomp.h>

namespace cellblock {
namespace {

constexpr NewerCall kNewerCalls[] = {
    {"cachestat", 451},         {"fchmodat2", 452},        {"map_shadow_stack", 453},
    {"futex_wake", 454},        {"futex_wait", 455},       {"futex_requeue", 456},
    {"statmount", 457},         {"listmount", 458},        {"lsm_get_self_attr", 459},
    {"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
    {"setxattrat", 463},        {"getxattrat", 464},       {"listxattrat", 465},
    {"removexattrat", 466},     {"open_tree_attr", 467},   {"file_getattr", 468},
    {"file_setattr", 469},
};

}  // namespace

absl::Span<const NewerCall> NewerCalls() {
  return kNewerCalls;
}

int CallNumber(absl::string_view name) {
  for (const NewerCall& call : kNewerCalls) {
    if (name == call.name) return call.number;
  }
  return seccomp_syscall_resolve_name(std::string(name).c_str());
}

bool IsKnownCall(absl::string_view name) {
  return CallNumber(name) != __NR_SCMP_ERROR;
}

}  // namespace cellblock
