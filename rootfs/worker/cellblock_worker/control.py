"""The control socket: a private, high, close-on-exec descriptor that forked children lose.

SEQPACKET and read one frame at a time, so that nothing is read ahead and the socket can be
replaced by another one between two cells. User code that breaks the socket ends the worker.
"""
import fcntl
import os
import threading

from cellblock_worker import frame
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_read = os.read
_write = os.write
_fstat = os.fstat
_close = os.close
_exit = os._exit
_parse = frame.parse
_split = frame.split
_MAX_MESSAGE = frame.MAX_MESSAGE

EXIT_CONTROL_LOST = 70


def move_high(fd):
    """A close-on-exec duplicate out of the way of user code."""
    limit = os.sysconf("SC_OPEN_MAX")
    lowest = 900 if limit > 1000 else max(3, limit - 64)
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)


class Channel:
    def __init__(self, fd, incarnation):
        self.fd = move_high(fd)
        _close(fd)
        self.incarnation = incarnation
        self.cell = 0  # of the running cell, 0 when idle
        self.lost = False  # True in a forked child
        self._lock = threading.Lock()
        self._identity = self._stat()
        os.register_at_fork(after_in_child=self.drop)

    def drop(self):
        """A forked child must never answer."""
        if not self.lost:
            self.lost = True
            try:
                _close(self.fd)
            except OSError:
                pass

    def _stat(self):
        info = _fstat(self.fd)
        return info.st_dev, info.st_ino

    def _check(self):
        """Ends the process if the descriptor is no longer the socket we were given."""
        try:
            if not self.lost and self._stat() == self._identity:
                return
        except OSError:
            pass
        _exit(EXIT_CONTROL_LOST)

    def send(self, kind, payload, cell=None):
        """Sends one message whole; False if it is larger than the daemon takes, and nothing was sent.

        Callers on the main thread put interrupts off meanwhile.
        """
        if len(payload) > _MAX_MESSAGE:
            return False
        with self._lock:
            self._check()
            try:
                for datagram in _split(
                    kind, self.incarnation, self.cell if cell is None else cell, payload
                ):
                    _write(self.fd, datagram)
            except OSError:
                _exit(EXIT_CONTROL_LOST)
        return True

    def receive(self):
        """(kind, cell, payload) of the next whole message; ends the process at end of file."""
        parts = []
        size = 0
        first = None
        while True:
            self._check()
            try:
                datagram = _read(self.fd, frame.HEADER_SIZE + frame.MAX_PAYLOAD + 1)
            except OSError:
                _exit(EXIT_CONTROL_LOST)
            if not datagram:
                _exit(0)  # the daemon is gone
            parsed = _parse(datagram)
            if parsed is None or parsed[2] != self.incarnation:
                continue
            kind, more, _, cell, payload = parsed
            if first is not None and first != (kind, cell):
                parts, size = [], 0
            first = kind, cell
            size += len(payload)
            if size > frame.MAX_MESSAGE:
                _exit(EXIT_CONTROL_LOST)
            parts.append(payload)
            if not more:
                return kind, cell, b"".join(parts)
