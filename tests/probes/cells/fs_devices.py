# Five devices, and none can be made or opened.
import stat
found = {}
for top, _, names in os.walk("/dev"):
    for name in names:
        path = os.path.join(top, name)
        info = os.lstat(path)
        if stat.S_ISCHR(info.st_mode) or stat.S_ISBLK(info.st_mode):
            found[path] = (os.major(info.st_rdev), os.minor(info.st_rdev))
expect("devices", set(found) <= {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"},
       found)
expect("null", found.get("/dev/null") == (1, 3), found)
for name, mode, device in (("block", stat.S_IFBLK, os.makedev(8, 0)), ("mem", stat.S_IFCHR, os.makedev(1, 1)),
                           ("kmsg", stat.S_IFCHR, os.makedev(1, 11))):
    fails(name, lambda: os.mknod("/work/" + name, mode | 0o600, device))
fails("loop", lambda: os.open("/dev/loop-control", os.O_RDWR))
fails("kvm", lambda: os.open("/dev/kvm", os.O_RDWR))
fails("fuse", lambda: os.open("/dev/fuse", os.O_RDWR))
verdict(found)
