#include "sandbox/spec/syscall_groups.h"

namespace cellblock {
namespace {

// clang-format off
const std::vector<SyscallGroup>& Table() {
  static const auto* const table = new std::vector<SyscallGroup>{
      {"@basic-io", "reading and writing open descriptors",
       {"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
        "pwritev2", "lseek", "close", "close_range", "dup", "dup2", "dup3", "pipe", "pipe2",
        "sendfile", "splice", "tee", "vmsplice", "copy_file_range", "readahead", "fadvise64"}},
      {"@file-system", "opening, naming and changing files; the mounts and ids decide about each",
       {"open", "openat", "openat2", "creat", "access", "faccessat", "faccessat2", "stat", "lstat",
        "fstat", "newfstatat", "statx", "statfs", "fstatfs", "getdents", "getdents64", "getcwd",
        "chdir", "fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat",
        "renameat2", "link", "linkat", "symlink", "symlinkat", "readlink", "readlinkat", "mknod",
        "mknodat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "umask",
        "utime", "utimes", "utimensat", "futimesat", "truncate", "ftruncate", "fallocate", "flock",
        "fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync", "getxattr",
        "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr", "setxattr",
        "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "inotify_init",
        "inotify_init1", "inotify_add_watch", "inotify_rm_watch"}},
      {"@io-event", "waiting for descriptors",
       {"poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl",
        "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd",
        "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime",
        "timerfd_gettime"}},
      {"@aio", "kernel asynchronous I/O; its contexts come out of one pool of the whole host",
       {"io_setup", "io_submit", "io_getevents", "io_pgetevents", "io_cancel", "io_destroy"}},
      {"@memory", "the address space of the process itself",
       {"brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "mincore", "mlock", "mlock2",
        "munlock", "mlockall", "munlockall", "pkey_alloc", "pkey_free", "pkey_mprotect",
        "memfd_create", "remap_file_pages", "membarrier"}},
      {"@process", "starting, ending and describing processes",
       {"fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "getpid",
        "getppid", "gettid", "getpgid", "setpgid", "getpgrp", "getsid", "setsid", "getuid",
        "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "getrusage",
        "getrlimit", "setrlimit", "times", "arch_prctl", "set_tid_address", "set_robust_list",
        "get_robust_list", "rseq", "capget", "getcpu", "pidfd_open", "restart_syscall"}},
      {"@credentials", "changes of ids that no_new_privs and empty capability sets make harmless",
       {"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
        "setfsuid", "setfsgid", "capset"}},
      {"@signal", "signals within the session's own pid namespace",
       {"kill", "tkill", "tgkill", "rt_sigaction", "rt_sigprocmask", "rt_sigpending",
        "rt_sigqueueinfo", "rt_tgsigqueueinfo", "rt_sigreturn", "rt_sigsuspend",
        "rt_sigtimedwait", "sigaltstack", "pause", "alarm"}},
      {"@sync", "waiting for other threads and locks",
       {"futex", "futex_waitv", "sched_yield"}},
      {"@timer", "clocks and timers; setting a clock is not among them",
       {"clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
        "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime",
        "timer_getoverrun", "timer_delete"}},
      {"@network-io", "using sockets that could be made; families are the socket rule's",
       {"bind", "listen", "accept", "accept4", "connect", "getsockname", "getpeername",
        "getsockopt", "setsockopt", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg",
        "recvmmsg", "shutdown"}},
      {"@ipc", "System V and POSIX objects of the session's own IPC namespace",
       {"shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget",
        "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive",
        "mq_notify", "mq_getsetattr"}},
      {"@numa", "where memory lies: placement of pages and threads on memory nodes",
       {"mbind", "set_mempolicy", "get_mempolicy", "set_mempolicy_home_node"}},
      {"@system-info", "reading what kind of system this is",
       {"uname", "sysinfo", "getrandom"}},
      {"@scheduler-read", "reading scheduling parameters",
       {"sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_getattr",
        "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
        "getpriority", "ioprio_get"}},
      {"@landlock", "a process may confine itself further",
       {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"}},
  };
  return *table;
}
// clang-format on

}  // namespace

absl::Span<const SyscallGroup> SyscallGroups() {
  return Table();
}

const SyscallGroup* FindSyscallGroup(absl::string_view name) {
  for (const SyscallGroup& group : Table()) {
    if (name == group.name) return &group;
  }
  return nullptr;
}

}  // namespace cellblock
