# Init's memory, descriptors and environment are closed, and it takes no signal from inside.
import signal


def content(name):
    with open("/proc/1/" + name, "rb") as file:
        return file.read(64)


for name in ("environ", "mem", "maps", "smaps", "auxv", "io", "pagemap", "stack", "syscall"):
    fails(name, lambda: content(name), ("EACCES", "EPERM", "EIO"))
for name in ("fd", "map_files", "task/1/fd"):
    fails(name, lambda: os.listdir("/proc/1/" + name))
for name in ("exe", "root", "cwd", "ns/mnt"):
    fails(name, lambda: os.readlink("/proc/1/" + name))
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV, signal.SIGSYS):
    try:
        os.kill(1, number)
    except OSError:
        pass
os.stat("/proc/1")  # it lives, and so do we
verdict()
