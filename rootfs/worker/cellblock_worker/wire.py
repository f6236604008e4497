"""Protobuf by hand for the messages of proto/internal/worker.proto.

The image need not have a protobuf package, and a handful of messages does not need one. A message
is a dict; a schema maps each field number to (name, type, repeated), where the type is "int",
"bool", "string", "bytes" or the schema of a nested message.
"""
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401


def _field(name, kind, repeated=False):
    return name, kind, repeated


EXPRESSION = {1: _field("name", "string"), 2: _field("code", "string")}
RUN_CELL = {
    1: _field("code", "bytes"),
    2: _field("silent", "bool"),
    3: _field("offer_input", "bool"),
    4: _field("name", "string"),
    5: _field("expressions", EXPRESSION, True),
    6: _field("max_display_bytes", "int"),
}
INPUT_REPLY = {1: _field("text", "bytes"), 2: _field("end_of_file", "bool")}
READY = {
    1: _field("python_version", "string"),
    2: _field("ipython_version", "string"),
    3: _field("threads", "int"),
    4: _field("warning", "string"),
}
MIME_FORM = {1: _field("type", "string"), 2: _field("data", "bytes")}
DISPLAY = {
    1: _field("forms", MIME_FORM, True),
    2: _field("metadata_json", "string"),
    3: _field("omitted", "string", True),
    4: _field("display_id", "string"),
    5: _field("update", "bool"),
    6: _field("is_result", "bool"),
    7: _field("execution_count", "int"),
    8: _field("wants_reply", "bool"),
}
CLEAR = {1: _field("wait", "bool"), 2: _field("wants_reply", "bool")}
FRAME = {
    1: _field("file", "string"),
    2: _field("function", "string"),
    3: _field("line", "int"),
    4: _field("source", "string"),
    5: _field("user_code", "bool"),
}
ERROR = {
    1: _field("name", "string"),
    2: _field("value", "string"),
    3: _field("frames", FRAME, True),
    4: _field("traceback", "string"),
    5: _field("traceback_ansi", "string"),
    6: _field("line", "int"),
    7: _field("column", "int"),
    8: _field("memory", "bool"),
    9: _field("disk_full", "bool"),
    10: _field("no_processes", "bool"),
    11: _field("unresolved", "bool"),
    12: _field("os_errno", "int"),
    13: _field("path", "string"),
    14: _field("target", "string"),
}
INPUT_REQUEST = {1: _field("prompt", "string"), 2: _field("password", "bool")}
EXPRESSION_RESULT = {
    1: _field("name", "string"),
    2: _field("value", DISPLAY),
    3: _field("error", ERROR),
}
DONE = {
    1: _field("status", "int"),
    2: _field("execution_count", "int"),
    3: _field("expressions", EXPRESSION_RESULT, True),
    4: _field("exit_code", "int"),
    5: _field("value", DISPLAY),
}

STATUS_OK = 1
STATUS_ERROR = 2
STATUS_INTERRUPTED = 3
STATUS_EXIT = 4

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_U64 = (1 << 64) - 1


def _varint(value):
    value &= _U64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _encode_field(number, kind, value):
    if kind == "int" or kind == "bool":
        return _varint(number << 3 | _VARINT) + _varint(int(value))
    if kind == "string":
        data = value.encode("utf-8", "backslashreplace")  # lone surrogates are not UTF-8
    elif kind == "bytes":
        data = value
    else:
        data = encode(kind, value)
    return _varint(number << 3 | _LENGTH) + _varint(len(data)) + data


def encode(schema, message):
    """The bytes of a message; a field that has its default value is left out, as proto3 does."""
    out = []
    for number, (name, kind, repeated) in schema.items():
        value = message.get(name)
        if repeated:
            for item in value or ():
                out.append(_encode_field(number, kind, item))
        elif isinstance(kind, dict):
            if value is not None:
                out.append(_encode_field(number, kind, value))
        elif value:
            out.append(_encode_field(number, kind, value))
    return b"".join(out)


def _read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("truncated or over-long varint")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _U64, at
        shift += 7


def _read_raw(data, at):
    key, at = _read_varint(data, at)
    wire_type = key & 7
    if wire_type == _VARINT:
        value, at = _read_varint(data, at)
        return key >> 3, wire_type, value, at
    if wire_type == _LENGTH:
        size, at = _read_varint(data, at)
    elif wire_type == _FIXED64:
        size = 8
    elif wire_type == _FIXED32:
        size = 4
    else:
        raise ValueError("unknown wire type")
    if at + size > len(data):
        raise ValueError("field runs past the end")
    return key >> 3, wire_type, data[at : at + size], at + size


def _default(kind):
    return {"int": 0, "bool": False, "string": "", "bytes": b""}.get(kind) if isinstance(
        kind, str
    ) else None


def _decode_value(kind, wire_type, value):
    if kind == "int" or kind == "bool":
        if wire_type != _VARINT:
            raise ValueError("wrong wire type")
        if kind == "bool":
            return value != 0
        return value - (1 << 64) if value >> 63 else value
    if wire_type != _LENGTH:
        raise ValueError("wrong wire type")
    if kind == "string":
        return bytes(value).decode("utf-8", "replace")
    return bytes(value) if kind == "bytes" else decode(kind, value)


def decode(schema, data):
    """The dict of a message, every field present. ValueError if data is malformed."""
    message = {
        name: [] if repeated else _default(kind) for name, kind, repeated in schema.values()
    }
    at = 0
    while at < len(data):
        number, wire_type, value, at = _read_raw(data, at)
        if number not in schema:
            continue  # a newer peer
        name, kind, repeated = schema[number]
        value = _decode_value(kind, wire_type, value)
        if repeated:
            message[name].append(value)
        else:
            message[name] = value
    return message
