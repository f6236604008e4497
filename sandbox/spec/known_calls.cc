#include "sandbox/spec/known_calls.h"

#include <seccomp.h>

#include <cstdlib>
#include <iterator>

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

std::string CallName(uint32_t number) {
  for (const NewerCall& call : kNewerCalls) {
    if (number == static_cast<uint32_t>(call.number)) return call.name;
  }
  if (number > uint32_t{kNewestKnownCall}) return "";
  char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, static_cast<int>(number));
  const std::string copy = name != nullptr ? name : "";
  free(name);
  return copy;
}

std::vector<uint32_t> KnownNumbers() {
  std::vector<uint32_t> numbers;
  const auto last = static_cast<uint32_t>(std::end(kNewerCalls)[-1].number);
  for (uint32_t number = 0; number <= last; ++number) {
    if (!CallName(number).empty()) numbers.push_back(number);
  }
  return numbers;
}

bool IsKnownCall(absl::string_view name) {
  return CallNumber(name) != __NR_SCMP_ERROR;
}

}  // namespace cellblock
