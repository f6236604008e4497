# Limits, priority, affinity and memory policy of other processes cannot be changed.
affinity = ctypes.create_string_buffer(b"\x01", 128)
limit = ctypes.create_string_buffer(16)
for name, number, *arguments in (
        ("prlimit64", 302, 1, 7, limit, None), ("sched_setaffinity", 203, 1, 128, affinity),
        ("sched_setscheduler", 144, 1, 0, limit), ("sched_setattr", 314, 1, limit, 0),
        ("setpriority", 141, 0, 1, 19), ("ioprio_set", 251, 1, 1, 0),
        ("process_madvise", 440, 0, 0, 0, 0, 0), ("process_mrelease", 448, 0, 0),
        ("migrate_pages", 256, 1, 0, 0, 0), ("move_pages", 279, 1, 0, 0, 0, 0, 0)):
    refused(name, number, *arguments)
verdict()
