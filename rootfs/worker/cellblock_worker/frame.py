"""The header of a frame; the C++ side is sandbox/runtime/frame.h."""
import struct

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

RUN_CELL = 1
INPUT_REPLY = 2
SHOWN = 3
READY = 16
DISPLAY = 18
CLEAR = 19
ERROR = 20
INPUT_REQUEST = 21
DONE = 22

FLAG_MORE = 1
HEADER_SIZE = 16
MAX_PAYLOAD = 60 * 1024
MAX_MESSAGE = 16 * 1024 * 1024

_HEADER = struct.Struct("<HHIQ")
_pack = _HEADER.pack
_unpack_from = _HEADER.unpack_from


def split(kind, incarnation, cell, payload):
    """The datagrams of one message."""
    for start in range(0, len(payload) or 1, MAX_PAYLOAD):
        part = payload[start : start + MAX_PAYLOAD]
        more = FLAG_MORE if start + MAX_PAYLOAD < len(payload) else 0
        yield _pack(kind, more, incarnation, cell) + part


def parse(datagram):
    """(kind, more, incarnation, cell, payload), or None for what is no frame."""
    if not HEADER_SIZE <= len(datagram) <= HEADER_SIZE + MAX_PAYLOAD:
        return None
    kind, flags, incarnation, cell = _unpack_from(datagram)
    return kind, bool(flags & FLAG_MORE), incarnation, cell, datagram[HEADER_SIZE:]
