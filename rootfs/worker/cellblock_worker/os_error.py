"""What the system refused, as the exception that a cell ended with tells it: the error's number, the
file, the host. Any library may stand between; the first cause in the chain speaks."""
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_MAX_TEXT = 1000
_MAX_FRAMES = 200
# Functions of the socket module, and which local variable of theirs holds the target.
_TARGETS = {"create_connection": "address", "_call_connect": "sockaddr", "connect": "address"}


def facts(links):
    """Fields of an Error message; {} where no OSError with a number is among the exceptions."""
    for link in links:
        if not isinstance(link, OSError):
            continue
        number = link.errno
        unresolved = type(link).__name__ == "gaierror"
        if type(number) is not int or not (number or unresolved):
            continue
        return {
            "unresolved": unresolved,
            "os_errno": 0 if unresolved else number,
            "path": _text(link.filename),
            "target": _target(link.__traceback__),
        }
    return {}


def _text(value):
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    return value[:_MAX_TEXT] if type(value) is str else ""


def _target(trace):
    """"host:port" that was looked up or connected to, from the innermost frame that knows it."""
    found = ""
    for _ in range(_MAX_FRAMES):
        if trace is None:
            break
        frame = trace.tb_frame
        name = frame.f_code.co_name
        if name == "getaddrinfo":
            found = _pair((frame.f_locals.get("host"), frame.f_locals.get("port"))) or found
        elif name in _TARGETS:
            found = _pair(frame.f_locals.get(_TARGETS[name])) or found
        trace = trace.tb_next
    return found


def _pair(address):
    if not isinstance(address, tuple) or len(address) < 2:
        return ""
    host, port = _text(address[0]), address[1]
    if not host:
        return ""
    return "%s:%s" % (host, port) if type(port) in (int, str) else host
