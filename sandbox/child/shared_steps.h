// Steps that init and workers share, and the report. Post-clone code: see plan.h.
#ifndef CELLBLOCK_SANDBOX_CHILD_SHARED_STEPS_H_
#define CELLBLOCK_SANDBOX_CHILD_SHARED_STEPS_H_

#include <stddef.h>

#include "sandbox/child/plan.h"
#include "sandbox/child/report.h"

namespace cellblock::child {

StepResult SetIds(unsigned id);  // real, effective and saved uid and gid
StepResult SetRlimits(const Confinement& confinement);
StepResult DropBounding(const Confinement& confinement);
// Ambient, then effective, permitted and inheritable; then securebits are locked. Securebits need
// CAP_SETPCAP, so they are set in DropBounding's company: call DropBounding first.
StepResult DropAll(const Confinement& confinement);
StepResult SetNoNewPrivileges();
StepResult SetParentDeathSignal();
StepResult ResetSignals();

// false with errno set. Always nosuid, nodev, noexec.
bool MountSizedTmpfs(const char* target, size_t bytes, size_t inodes);

// The errno in the kernel's acknowledgement of a netlink request; EPROTO if it is none.
int NetlinkAnswerError(const char* answer, size_t size);

// Puts /dev/null on 0, 1 and 2, `kept` on 3, 4, ..., the report pipe behind them, and closes all
// else.
StepResult KeepDescriptors(const int* kept, size_t count, int report_fd);
void SetCloseOnExec(int fd);

// Where the report pipe is now: KeepDescriptors may have moved it.
int ReportFd(int original);
[[noreturn]] void ReportAndExit(int report_fd, const char* step, const StepResult& result);

}  // namespace cellblock::child

#endif  // CELLBLOCK_SANDBOX_CHILD_SHARED_STEPS_H_
