# clone3 is said to be unknown, so that libc falls back; threads and processes start.
import subprocess
import threading
result, error = call(435, 0, 0)
expect("clone3", error == "ENOSYS", error)
seen = []
threads = [threading.Thread(target=seen.append, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
expect("threads", sorted(seen) == list(range(8)), seen)
expect("subprocess", subprocess.run(["true"]).returncode == 0)
verdict()
