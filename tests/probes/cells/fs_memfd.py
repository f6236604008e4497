# A program run from memory is under the same filter; or memory files are refused.
try:
    handle = os.memfd_create("program")
except PermissionError:
    verdict("memfd_create is refused")
else:
    os.write(handle, open("/usr/bin/grep", "rb").read())
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        os.execve(handle, ["grep", "Seccomp:", "/proc/self/status"], {})
    os.waitpid(child, 0)
    expect("filter", b"2" in os.read(reading, 100))
    verdict("memory files run under the filter")
