# No packets of one's own making.
import socket
for family, kind, protocol in ((socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET, socket.SOCK_RAW, 255),
                               (socket.AF_INET6, socket.SOCK_RAW, 58), (socket.AF_INET, 10, 3)):
    fails((family, kind, protocol), lambda: socket.socket(family, kind, protocol))
verdict()
