// A file descriptor that is closed with its owner. Move-only.
#ifndef CELLBLOCK_SANDBOX_BASE_UNIQUE_FD_H_
#define CELLBLOCK_SANDBOX_BASE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace cellblock {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_BASE_UNIQUE_FD_H_
