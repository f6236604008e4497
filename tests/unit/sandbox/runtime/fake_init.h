// The far end of an InitClient's socket, served by a thread of the test.
#ifndef CELLBLOCK_TESTS_UNIT_SANDBOX_RUNTIME_FAKE_INIT_H_
#define CELLBLOCK_TESTS_UNIT_SANDBOX_RUNTIME_FAKE_INIT_H_

#include <functional>
#include <string>
#include <thread>

#include "sandbox/base/unique_fd.h"
#include "sandbox/child/init_protocol.h"

namespace cellblock {

class FakeInit {
 public:
  // Called on the fake's thread, one request at a time; answers with Reply or Send.
  using Handler = std::function<void(FakeInit&, const init::Request&, UniqueFd)>;

  explicit FakeInit(Handler handler);
  ~FakeInit();
  FakeInit(const FakeInit&) = delete;
  FakeInit& operator=(const FakeInit&) = delete;

  UniqueFd TakeClientEnd() { return std::move(client_); }

  void Send(const init::Message& message, int fd = -1);
  void Reply(uint32_t tag, int error, int64_t value = 0, int fd = -1);
  void Entry(uint32_t tag, const std::string& path, init::EntryType type, int64_t size);
  void Wait(int32_t pid, int status);
  void HangUp();  // as if init had died

  // Reaps `pid` when it dies and reports it, as init does for its children.
  void Adopt(int32_t pid, bool report = true);

 private:
  void Serve();

  const Handler handler_;
  UniqueFd client_, socket_, stop_, child_;
  int32_t child_pid_ = 0;
  bool report_ = true;
  std::thread thread_;
};

}  // namespace cellblock

#endif  // CELLBLOCK_TESTS_UNIT_SANDBOX_RUNTIME_FAKE_INIT_H_
