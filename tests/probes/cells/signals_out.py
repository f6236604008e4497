# Signals reach the session's own processes; init is immune; nobody else is there to be hit.
for pid in (2, 100, 1000, 30000, 4194303):
    if not os.path.exists(f"/proc/{pid}"):
        fails(pid, lambda: os.kill(pid, 0), ("ESRCH",))
handle, error = call(434, 1, 0)  # pidfd_open
if handle >= 0:
    call(424, handle, 9, 0, 0)
    os.close(handle)
os.kill(0, 0)
os.stat("/proc/1")
verdict(error)
