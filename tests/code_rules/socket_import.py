import socket
socket.socket()
