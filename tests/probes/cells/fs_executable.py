# The running programs cannot be replaced under the feet of others.
for path in ("/proc/self/exe", "/proc/1/exe", "/usr/bin/python3"):
    fails(path, lambda: os.close(os.open(path, os.O_WRONLY)), ("EACCES", "EROFS", "EPERM"))
    fails(path + " truncate", lambda: os.truncate(path, 0), ("EACCES", "EROFS", "EPERM"))
verdict()
