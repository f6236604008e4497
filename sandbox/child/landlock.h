// Landlock on top of everything else, where the kernel has it: writing only in the writable places,
// and from ABI 6 on no signal and no abstract socket out of the worker's own domain.
// Post-clone code: see plan.h.
#ifndef CELLBLOCK_SANDBOX_CHILD_LANDLOCK_H_
#define CELLBLOCK_SANDBOX_CHILD_LANDLOCK_H_

#include "sandbox/child/report.h"

namespace cellblock::child {

// 0 if the kernel has no Landlock, or it is switched off.
int LandlockAbi();

// Needs no_new_privs; runs inside the sandbox's root. Does nothing for `abi` 0: its absence is a
// capability that every session reports.
StepResult RestrictWrites(int abi);

}  // namespace cellblock::child

#endif  // CELLBLOCK_SANDBOX_CHILD_LANDLOCK_H_
