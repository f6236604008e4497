"""Descriptors 0 to 2 and the text streams over them, put right again before every cell.

User bytes travel on the pipes at 1 and 2, never through the control socket, so that C code and
child processes are captured alike. Whatever a cell does to them - close, dup2, a replaced or
deleted sys.stdout - ends with the cell.
"""
import io
import os
import sys

from cellblock_worker.control import move_high
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_dup2 = os.dup2
_fstat = os.fstat
_open = os.open
_READ_ONLY = os.O_RDONLY
_set_inheritable = os.set_inheritable
_TextIOWrapper = io.TextIOWrapper
_BufferedWriter = io.BufferedWriter
_FileIO = io.FileIO


def _identity(fd):
    try:
        info = _fstat(fd)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _text_stream(fd, name):
    """Flushes at line ends, as on a terminal: a cell's output is seen while it runs."""
    raw = _FileIO(fd, "w", closefd=False)
    raw.name = name
    stream = _TextIOWrapper(
        _BufferedWriter(raw),
        encoding="utf-8",
        errors="backslashreplace",  # print never fails for what it prints
        newline="\n",
        line_buffering=True,
    )
    stream.mode = "w"
    return stream


def _c_stdout_flusher():
    """fflush(stdout): what C and Fortran libraries printed waits in a buffer of libc."""
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        fflush = libc.fflush
        fflush.argtypes = [ctypes.c_void_p]
        stdout = ctypes.c_void_p.in_dll(libc, "stdout")
    except (ImportError, OSError, AttributeError, ValueError):
        return lambda: None
    return lambda: fflush(stdout)


class Streams:
    def __init__(self):
        self._private = {fd: move_high(fd) for fd in (1, 2)}
        self._identities = {fd: _identity(fd) for fd in (1, 2)}
        self._flush_c = _c_stdout_flusher()
        self._make(1)
        self._make(2)

    def _make(self, fd):
        if fd == 1:
            self._stdout = sys.stdout = sys.__stdout__ = _text_stream(1, "<stdout>")
        else:
            self._stderr = sys.stderr = sys.__stderr__ = _text_stream(2, "<stderr>")

    def flush(self):
        """Everything that was printed is in the pipes afterwards, as far as streams obey."""
        mine = (self._stdout, self._stderr)
        theirs = (getattr(sys, "stdout", None), getattr(sys, "stderr", None))
        for stream in mine + tuple(s for s in theirs if s is not mine[0] and s is not mine[1]):
            try:
                stream.flush()
            except Exception:  # closed, full, or no stream at all: the cell's doing
                pass
        self._flush_c()

    def restore(self):
        if _identity(0) is None:
            _dup2(_open("/dev/null", _READ_ONLY), 0)  # 0 is the lowest free one: onto itself
            _set_inheritable(0, True)
        for fd in (1, 2):
            if _identity(fd) != self._identities[fd]:
                _dup2(self._private[fd], fd)
        if not _writes_to(self._stdout, 1):
            self._make(1)
        if not _writes_to(self._stderr, 2):
            self._make(2)
        sys.stdout = sys.__stdout__ = self._stdout
        sys.stderr = sys.__stderr__ = self._stderr


def _writes_to(stream, fd):
    """False for a stream whose buffer was detached or closed."""
    try:
        return not stream.closed and stream.fileno() == fd
    except Exception:
        return False
