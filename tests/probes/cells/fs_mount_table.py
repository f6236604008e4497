# The mount table names no folder of the host; what is writable has no devices and no set-id.
for line in open("/proc/self/mountinfo"):
    fields = line.split()
    options = fields[5].split(",")
    tail = line[line.index(" - "):]
    expect("path " + fields[4], not any(word in tail for word in (
        "upperdir=/", "lowerdir=/", "workdir=/", "/docker", "/containerd", "/var/lib")), tail)
    if "rw" in options:
        expect("nosuid " + fields[4], "nosuid" in options, line)
        if not fields[4].startswith("/dev/") or fields[4] == "/dev/shm":
            expect("nodev " + fields[4], "nodev" in options, line)
    expect("propagation " + fields[4], "shared:" not in line and "master:" not in line, line)
verdict()
