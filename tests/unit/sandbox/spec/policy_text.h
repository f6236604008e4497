// The smallest policy text that is right, for tests that add to it or spoil it.
#ifndef CELLBLOCK_TESTS_UNIT_SANDBOX_SPEC_POLICY_TEXT_H_
#define CELLBLOCK_TESTS_UNIT_SANDBOX_SPEC_POLICY_TEXT_H_

#include <string>

namespace cellblock {

inline constexpr char kMinimalPolicy[] = R"(name: "test"
limits {
  memory_bytes: 1000000
  pids: 10
  disk_bytes: 1000000
  disk_inodes: 100
  shm_bytes: 4096
  open_files: 16
  file_size_bytes: 1000000
  stack_bytes: 100000
  max_cell_time { seconds: 1 }
  interrupt_grace { seconds: 1 }
}
output {
  keep_head_bytes: 1
  keep_tail_bytes: 1
  max_events: 1
}
)";

// The minimal policy with these rules; the first stands on line 20.
inline std::string PolicyWithRules(const std::string& rules) {
  return kMinimalPolicy + ("syscalls {\n" + rules + "\n}\n");
}

// The minimal policy with one piece of text replaced.
inline std::string PolicyWith(const std::string& from, const std::string& to) {
  std::string text = kMinimalPolicy;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_SANDBOX_SPEC_POLICY_TEXT_H_
