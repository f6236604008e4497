# Runs before each probe, in the same cell. A probe notes what got through; the last line says which.
import ctypes
import errno
import os
import sys

_libc = ctypes.CDLL(None, use_errno=True)
through = []  # what should have been refused


def call(number, *arguments):
    """(result, name of errno or None) of a system call."""
    ctypes.set_errno(0)
    result = _libc.syscall(ctypes.c_long(number), *(
        ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    return result, None if result != -1 else errno.errorcode.get(ctypes.get_errno(), "?")


def refused(name, number, *arguments, answers=("EPERM", "ENOSYS")):
    """The filter answers, not the call itself: EINVAL or EFAULT would mean that it was reached."""
    result, error = call(number, *arguments)
    if result != -1 or error not in answers:
        through.append((name, result, error))


def fails(name, act, answers=None):
    """The act raises OSError (with one of the answers)."""
    try:
        result = act()
    except OSError as caught:
        error = errno.errorcode.get(caught.errno, str(caught))
        if answers is not None and error not in answers:
            through.append((name, error))
    else:
        through.append((name, result))


def expect(name, condition, seen=None):
    if not condition:
        through.append((name, seen))


def in_child(act):
    """The wait status of a child that does it; 7 as its exit status means that it came through."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(7 if act() else 0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def verdict(seen=""):
    print("ESCAPED" if through else "CONTAINED", through or seen)
