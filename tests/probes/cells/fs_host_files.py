# Files of the host that are nobody else's business.
for path in ("/etc/shadow", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers", "/etc/hostname-host", "/root/.ssh",
             "/root", "/var/lib", "/var/log", "/var/run/docker.sock", "/run/docker.sock", "/run/systemd",
             "/run/cellblock", "/boot", "/lost+found", "/srv", "/media", "/sys/kernel",
             "/usr/local/bin", "/etc/crontab", "/etc/environment", "/etc/fstab"):
    try:
        os.stat(path)
    except OSError:
        continue
    if os.path.isdir(path):
        try:
            expect(path, not os.listdir(path), os.listdir(path)[:5])
        except OSError:
            pass
    else:
        fails(path, lambda: open(path).read(1))
expect("/mnt", os.listdir("/mnt") == ["data"] and os.readlink("/mnt/data") == "/work")
if os.path.exists("/etc/resolv.conf"):
    expect("/etc/resolv.conf", not open("/etc/resolv.conf").read())
users = [line.split(":")[0] for line in open("/etc/passwd")]
expect("users", set(users) <= {"root", "nobody", "cell"}, users)
expect("HOME", os.listdir("/home") == ["cell"], os.listdir("/home"))
verdict()
