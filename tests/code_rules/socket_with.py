import socket
with socket.socket() as s:
    s.connect(('h', 1))
