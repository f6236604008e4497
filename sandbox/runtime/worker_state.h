// What a Worker and the run of one of its cells share.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_WORKER_STATE_H_
#define CELLBLOCK_SANDBOX_RUNTIME_WORKER_STATE_H_

#include "sandbox/runtime/counters.h"
#include "sandbox/runtime/frame_channel.h"
#include "sandbox/runtime/worker.h"

namespace cellblock {

struct Worker::State {
  State(WorkerHandles worker, uint32_t incarnation, InitClient* init_client, int group)
      : pid(worker.pid),
        pidfd(std::move(worker.pidfd)),
        out(std::move(worker.stdout_pipe)),
        err(std::move(worker.stderr_pipe)),
        leaf(std::move(worker.cgroup_dir)),
        leaf_kill(std::move(worker.cgroup_kill)),
        channel(std::move(worker.control), incarnation),
        init(init_client),
        session_group(group) {}

  const int32_t pid;  // inside the sandbox
  const UniqueFd pidfd, out, err, leaf, leaf_kill;
  FrameChannel channel;
  InitClient* const init;
  const int session_group;
  int64_t cells_counted = 0;  // execution count of the last cell
  bool gone = false;          // the pidfd said so and the leaf was cleared

  Counters counters() const { return ReadGroupCounters(leaf.get(), session_group); }
  // SIGKILL to the worker and all that it started. False if nothing could be told to.
  bool KillLeaf() const;
};

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_WORKER_STATE_H_
