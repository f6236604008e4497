# System folders cannot be written, nor remounted by opening them for writing.
for folder in ("/", "/usr", "/usr/lib", "/etc", "/bin", "/lib", "/usr/lib/python3", "/proc", "/dev",
               "/var", "/opt", "/opt/cellblock", "/home", "/run"):
    if os.path.isdir(folder):
        fails(folder, lambda: os.open(folder + "/probe", os.O_CREAT | os.O_WRONLY, 0o600))
        fails(folder + " mkdir", lambda: os.mkdir(folder + "/probe-folder"))
        fails(folder + " rename", lambda: os.rename(folder, folder + "-moved"))
for path in ("/etc/passwd", "/etc/hosts", "/usr/bin/python3", "/bin/sh", os.__file__,
             *(f"{top}/{name}" for top, _, names in os.walk("/opt/cellblock") for name in names)):
    fails(path, lambda: os.open(path, os.O_WRONLY))
    fails(path + " unlink", lambda: os.unlink(path))
    fails(path + " chmod", lambda: os.chmod(path, 0o777))
verdict()
