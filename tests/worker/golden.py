"""The frames of tests/data/frames, which the C++ side reads as well.

NAME.bin is one datagram; NAME.json says what it is: the header, and the payload as the proto3 JSON
of the message (bytes in base64). `golden.py --write` writes the files after a change of the wire.
"""
import base64
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "data" / "frames"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "rootfs" / "worker"))

from cellblock_worker import frame, wire  # noqa: E402

INCARNATION = 3
CELL = 0x0123456789ABCDEF

ERROR = {
    "name": "ZeroDivisionError",
    "value": "division by zero",
    "frames": [
        {"file": "cell 4", "function": "<module>", "line": 2, "source": "1 / 0", "user_code": True}
    ],
    "traceback": "ZeroDivisionError: division by zero",
    "traceback_ansi": "\x1b[31mZeroDivisionError\x1b[0m: division by zero",
    "memory": True,
    "unresolved": True,
    "os_errno": 13,
    "path": "/etc/x",
    "target": "example.org:443",
}
DISPLAY = {
    "forms": [
        {"type": "text/plain", "data": "π".encode()},
        {"type": "image/png", "data": b"\x89PNG\x00\xff"},
    ],
    "metadata_json": '{"a": 1}',
    "omitted": ["text/html"],
    "display_id": "d1",
    "update": True,
    "is_result": True,
    "execution_count": 300,
    "wants_reply": True,
}

# name -> (type, message name, schema, flags, cell, fields)
FRAMES = {
    "run_cell": (
        frame.RUN_CELL,
        "RunCell",
        wire.RUN_CELL,
        0,
        CELL,
        {
            "code": b"x = 1\nx\n",
            "silent": True,
            "offer_input": True,
            "name": "report.py",
            "expressions": [{"name": "a", "code": "x + 1"}, {"name": "b", "code": ""}],
            "max_display_bytes": 1 << 20,
        },
    ),
    "run_cell_empty": (frame.RUN_CELL, "RunCell", wire.RUN_CELL, 0, CELL, {}),
    "input_reply": (
        frame.INPUT_REPLY, "InputReply", wire.INPUT_REPLY, 0, CELL, {"text": b"\xff line"}
    ),
    "input_end": (
        frame.INPUT_REPLY, "InputReply", wire.INPUT_REPLY, 0, CELL, {"end_of_file": True}
    ),
    "ready": (
        frame.READY,
        "Ready",
        wire.READY,
        0,
        0,
        {"python_version": "3.11.2", "ipython_version": "8.5.0", "threads": 1},
    ),
    "display": (frame.DISPLAY, "Display", wire.DISPLAY, 0, CELL, DISPLAY),
    "clear": (frame.CLEAR, "ClearOutput", wire.CLEAR, 0, CELL, {"wait": True, "wants_reply": True}),
    "error": (frame.ERROR, "Error", wire.ERROR, 0, CELL, ERROR),
    "input_request": (
        frame.INPUT_REQUEST,
        "InputRequest",
        wire.INPUT_REQUEST,
        0,
        CELL,
        {"prompt": "name? ", "password": True},
    ),
    "done": (
        frame.DONE,
        "Done",
        wire.DONE,
        0,
        CELL,
        {
            "status": wire.STATUS_EXIT,
            "execution_count": 7,
            "expressions": [
                {"name": "good", "value": DISPLAY},
                {"name": "bad", "error": ERROR},
            ],
            "exit_code": 255,
            "value": DISPLAY,
        },
    ),
    # The first part of a longer message: its payload is no whole message.
    "clear_more": (frame.CLEAR, "", None, frame.FLAG_MORE, CELL, None),
}
_PART = b"\x08"


def datagram(name):
    kind, _, schema, flags, cell, fields = FRAMES[name]
    if schema is None:
        return frame._pack(kind, flags, INCARNATION, cell) + _PART
    (whole,) = frame.split(kind, INCARNATION, cell, wire.encode(schema, fields))
    return whole


def _json(schema, message):
    """proto3 JSON: lowerCamelCase names, bytes in base64."""
    out = {}
    for name, kind, repeated in schema.values():
        if name not in message:
            continue
        words = name.split("_")
        key = words[0] + "".join(word.title() for word in words[1:])
        values = message[name] if repeated else [message[name]]
        values = [_json_value(kind, value) for value in values]
        out[key] = values if repeated else values[0]
    return out


def _json_value(kind, value):
    if kind == "bytes":
        return base64.b64encode(value).decode()
    return value if isinstance(kind, str) else _json(kind, value)


def description(name):
    kind, message, schema, flags, cell, fields = FRAMES[name]
    text = {
        "header": {
            "type": kind,
            "flags": flags,
            "incarnation": INCARNATION,
            "cell": str(cell),  # beyond what JSON numbers hold exactly
        },
        "message": message,
    }
    if schema is not None:
        text["payload"] = _json(schema, fields)
    return text


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in FRAMES:
        (FOLDER / (name + ".bin")).write_bytes(datagram(name))
        text = json.dumps(description(name), indent=2, ensure_ascii=False)
        (FOLDER / (name + ".json")).write_text(text + "\n", "utf-8")


if __name__ == "__main__" and "--write" in sys.argv:
    write()
