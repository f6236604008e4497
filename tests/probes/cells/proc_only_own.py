# /proc shows the session's own processes and no others.
pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
expect("processes", max(pids) < 10000 and len(pids) < 200, pids)
expect("parent", os.getppid() == 1, os.getppid())
verdict(pids)
