# No /sys and no control groups.
kinds = [line.split()[2] for line in open("/proc/mounts")]
for kind in ("sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "bpf", "devtmpfs",
             "devpts", "mqueue", "hugetlbfs", "configfs", "fusectl", "binfmt_misc"):
    expect(kind, kind not in kinds)
expect("/sys", not os.path.exists("/sys") or not os.listdir("/sys"))
verdict(sorted(set(kinds)))
