// Another program whose times are taken beside ours: started with a pipe to and from it.
#ifndef CELLBLOCK_TESTS_BENCH_PEER_H_
#define CELLBLOCK_TESTS_BENCH_PEER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::bench {

class Peer {
 public:
  static absl::StatusOr<std::unique_ptr<Peer>> Start(std::vector<std::string> words);
  // Closes the pipes and waits; the program is expected to end by itself.
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  absl::Status WriteLine(const std::string& line);
  // Without the newline; an error if the program ended before.
  absl::StatusOr<std::string> ReadLine();

 private:
  Peer() = default;

  pid_t pid_ = -1;
  UniqueFd to_, from_;
  std::string read_;
};

}  // namespace cellblock::bench

#endif  // CELLBLOCK_TESTS_BENCH_PEER_H_
