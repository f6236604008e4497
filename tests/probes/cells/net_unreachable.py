# Nothing outside is reached, and that is said at once.
import socket
import time
for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET, "169.254.169.254"),
                        (socket.AF_INET, "10.0.0.1"), (socket.AF_INET6, "2001:db8::1")):
    began = time.monotonic()
    with socket.socket(family) as s:
        s.settimeout(5)
        fails(address, lambda: s.connect((address, 80)), ("ENETUNREACH", "EADDRNOTAVAIL"))
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        fails(address + " udp", lambda: s.sendto(b"x", (address, 53)), ("ENETUNREACH", "EADDRNOTAVAIL"))
    expect(address + " at once", time.monotonic() - began < 1)
began = time.monotonic()
fails("name", lambda: socket.getaddrinfo("example.org", 80))
expect("name at once", time.monotonic() - began < 2)
expect("localhost", socket.gethostbyname("localhost") == "127.0.0.1")
verdict()
