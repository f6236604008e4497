# Calls of the host's administrator. EINVAL or EFAULT would mean that they were reached.
some = ctypes.create_string_buffer(256)
for name, number, *arguments in (
        ("kexec_load", 246, 0, 0, 0, 0), ("kexec_file_load", 320, -1, -1, 0, 0, 0),
        ("init_module", 175, 0, 0, b""), ("finit_module", 313, -1, b"", 0),
        ("delete_module", 176, b"x", 0), ("reboot", 169, 0, 0, 0, 0), ("swapon", 167, b"/x", 0),
        ("swapoff", 168, b"/x"), ("acct", 163, 0), ("settimeofday", 164, 0, 0),
        ("clock_settime", 227, 0, 0), ("iopl", 172, 3), ("ioperm", 173, 0x70, 1, 1),
        ("syslog", 103, 3, some, 64), ("quotactl", 179, 0, 0, 0, 0), ("quotactl_fd", 443, -1, 0, 0, 0),
        ("vhangup", 153), ("sethostname", 170, b"x", 1), ("setdomainname", 171, b"x", 1),
        ("nfsservctl", 180, 0, 0, 0), ("ustat", 136, 0, 0), ("sysfs", 139, 3, 0, 0)):
    refused(name, number, *arguments)
verdict()
