# No knob of the kernel can be opened for writing.
roots = ["/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/timer_stats",
         "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent"]
roots += [os.path.join(top, name) for top, _, names in os.walk("/proc/sys") for name in names]
for path in roots:
    fails(path, lambda: os.close(os.open(path, os.O_WRONLY)))
verdict(len(roots))
