// init's own seccomp filter: the calls that its loop makes, nothing else. Anything else ends init
// and with it the sandbox.
#ifndef CELLBLOCK_SANDBOX_CHILD_INIT_FILTER_H_
#define CELLBLOCK_SANDBOX_CHILD_INIT_FILTER_H_

namespace cellblock::init {

// 0, or errno. Needs no_new_privs.
int LoadFilter();

}  // namespace cellblock::init

#endif  // CELLBLOCK_SANDBOX_CHILD_INIT_FILTER_H_
