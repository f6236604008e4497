# No terminal to type into, also not with bits that the kernel ignores.
import fcntl
fails("/dev/tty", lambda: os.open("/dev/tty", os.O_RDWR))
expect("stdin", not os.isatty(0))
expect("session", os.getsid(0) != 0)
for path in ("/dev/ptmx", "/dev/pts/ptmx", "/dev/console", "/dev/tty0", "/dev/tty1"):
    fails(path, lambda path=path: os.open(path, os.O_RDWR | os.O_NOCTTY))
byte = ctypes.create_string_buffer(b"x")
for high in (0, 0x5eadbeef << 32, 1 << 63):
    for request in (0x5412, 0x541C):  # TIOCSTI, TIOCLINUX
        # ENOTTY would mean that the filter let it through.
        number = high | request
        result, error = call(16, 1, number - (1 << 64) if number >> 63 else number, byte)
        expect(hex(number), error == "EPERM", error)
verdict()
