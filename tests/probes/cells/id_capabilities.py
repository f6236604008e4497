# None in any of the five sets, and none can be raised.
for line in open("/proc/self/status"):
    if line.startswith("Cap"):
        expect(line.split(":")[0], int(line.split()[1], 16) == 0, line)
PR_CAP_AMBIENT, RAISE, CAP_SYS_ADMIN = 47, 2, 21
expect("ambient", _libc.prctl(PR_CAP_AMBIENT, RAISE, CAP_SYS_ADMIN, 0, 0) != 0)
header = ctypes.create_string_buffer(b"\x22\x05\x08\x20", 8)
expect("capset", call(126, header, ctypes.create_string_buffer(b"\xff" * 24, 24))[0] != 0)
verdict()
