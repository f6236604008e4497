# No hard link, descriptor or path leads out of the root.
for path in ("/usr/bin/python3", "/etc/passwd", "/opt/cellblock", "/proc/1/status"):
    fails(path, lambda: os.link(path, "/work/linked"))
for fd in range(3, 1024):
    try:
        os.fchdir(fd)
    except OSError:
        continue
    through.append(("folder descriptor", fd, os.getcwd()))
    os.chdir("/work")
top = os.stat("/")
for path in ("/..", "/../../..", "/proc/self/root/..", "/proc/self/cwd/../../.."):
    seen = os.stat(path)
    expect(path, (seen.st_dev, seen.st_ino) == (top.st_dev, top.st_ino))
verdict()
