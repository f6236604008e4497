"""A worker for launcher tests: evaluates each datagram on descriptor 3 and answers with its repr."""
import os
import socket

control = socket.socket(fileno=3)
names = {}
control.send(b"ready")
while True:
    request = control.recv(65536)
    if not request:
        os._exit(0)
    try:
        answer = repr(eval(request.decode(), names))
    except BaseException as error:  # the test wants to see whatever happened
        answer = f"{type(error).__name__}: {error}"
    control.send(answer.encode()[:60000])
