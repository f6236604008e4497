# The filter covers every thread and cannot be left.
import threading
stop = threading.Event()
threads = [threading.Thread(target=stop.wait) for _ in range(3)]
for thread in threads:
    thread.start()
for task in os.listdir("/proc/self/task"):
    status = open(f"/proc/self/task/{task}/status").read()
    expect("task " + task, "Seccomp:\t2" in status)
stop.set()
for thread in threads:
    thread.join()
expect("prctl", _libc.prctl(21, 0, 0, 0, 0) == 2)
verdict()
