# What /proc tells about the host's memory, hardware and keys is empty.
for path in ("/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/sched_debug",
             "/proc/latency_stats", "/proc/config.gz", "/proc/interrupts", "/proc/slabinfo",
             "/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup", "/proc/kmsg",
             "/proc/vmallocinfo", "/proc/modules", "/proc/kallsyms", "/proc/iomem", "/proc/mtrr"):
    try:
        with open(path, "rb") as file:
            content = file.read(4096)
    except OSError:
        continue
    if path == "/proc/kallsyms":  # without privileges the addresses read as nothing
        expect(path, all(line.split()[0].strip(b"0") == b"" for line in content.splitlines()[:-1]))
    else:
        expect(path, not content, content[:40])
for folder in ("/proc/acpi", "/proc/asound", "/proc/scsi", "/sys/firmware", "/proc/driver"):
    try:
        expect(folder, not os.listdir(folder), os.listdir(folder)[:3])
    except OSError:
        pass
verdict()
