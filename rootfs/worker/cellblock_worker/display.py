"""Values to MIME bundles to frames.

Every form of a value travels at once, keyed by MIME type: text as UTF-8, raster images as raw
bytes. A form above the cell's limit is left out and named in `omitted`; the text form is cut
instead, so that a value is never silent.
"""
import base64
import json
import sys
import threading

from cellblock_worker import frame, ipython_import, wire  # noqa: F401  (before IPython)
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher

_dumps = json.dumps
_b64decode = base64.b64decode
_encode = wire.encode
_get_ident = threading.get_ident
_MAIN = _get_ident()

TEXT = "text/plain"
DEFAULT_LIMIT = 1 << 20
_MAX_BUNDLE = frame.MAX_MESSAGE - (1 << 20)
_MAX_METADATA = 64 * 1024
_MAX_HELD = 1 << 20
_MAX_WAITS = 1000  # of one cell; more displays than a daemon shows need no exact place


class Display:
    """Sends what cells show. One per worker; the run of a cell sets the limit."""

    def __init__(self, channel, interrupts, streams):
        self._channel = channel
        self._interrupts = interrupts
        self._streams = streams
        self.begin_cell(DEFAULT_LIMIT, False)

    def begin_cell(self, limit, silent):
        self.limit = limit
        self.silent = silent
        self.ends = False  # True once nothing is printed after the value of an expression
        self._waits = 0
        self._held = None

    def send(self, kind, schema, message):
        """What was printed or shown before comes before. False if it was too large to be sent."""
        self.release()
        self._streams.flush()
        return self._interrupts.critical(self._channel.send, kind, _encode(schema, message))

    def _show(self, kind, schema, message):
        """And what is printed after comes after: the daemon says that it has read what was before.

        Only the main thread may read the control socket; other threads have no order to keep.
        """
        if self._waits >= _MAX_WAITS or _get_ident() != _MAIN:
            sent = self.send(kind, schema, message)
        else:
            self.release()
            self._waits += 1
            message["wants_reply"] = True
            self._streams.flush()
            payload = _encode(schema, message)
            sent = self._interrupts.critical(self._exchange, kind, payload)
        if not sent:
            print("not shown: a display of more than 16 MiB", file=sys.stderr)

    def _exchange(self, kind, payload):
        channel = self._channel
        if not channel.send(kind, payload):
            return False
        answer = None
        while answer != (frame.SHOWN, channel.cell):
            answer = channel.receive()[:2]
        return True

    def take_held(self):
        """The value of the cell's last expression, to go with its end: one wake-up for both."""
        held, self._held = self._held, None
        return held

    def release(self):
        """Sends the value that was to go with the end, because something comes behind it."""
        if self._held is not None and _get_ident() == _MAIN:
            self._show(frame.DISPLAY, wire.DISPLAY, self.take_held())

    def publish(self, data, metadata, display_id="", update=False, result_count=None):
        if self._channel.lost or not self._channel.cell:
            # A forked child, or a thread after its cell: the text goes where its prints go.
            if TEXT in data:
                print(data[TEXT])
            return
        if self.silent:
            return
        message = self.bundle(data, metadata)
        message["display_id"] = display_id
        message["update"] = update
        if result_count is not None:
            message["is_result"] = True
            message["execution_count"] = result_count
            size = sum(len(form["data"]) for form in message["forms"])
            if self.ends and size <= _MAX_HELD and _get_ident() == _MAIN:
                self.release()  # of a loop in a cell that shows every value
                self._held = message
                return
        self._show(frame.DISPLAY, wire.DISPLAY, message)

    def clear(self, wait):
        if self._channel.cell and not self._channel.lost:
            self._show(frame.CLEAR, wire.CLEAR, {"wait": bool(wait)})

    def bundle(self, data, metadata):
        """A Display message with the forms of data that fit."""
        forms, omitted = [], []
        room = _MAX_BUNDLE
        for mime, value in data.items():
            mime = str(mime)
            try:
                content = _form_bytes(mime, value)
            except Exception:
                omitted.append(mime)
                continue
            limit = min(self.limit, room)
            if len(content) > limit and mime == TEXT:
                content = _cut(content, limit)
            if len(content) > limit:
                omitted.append(mime)
                continue
            room -= len(content)
            forms.append({"type": mime, "data": content})
        return {"forms": forms, "omitted": omitted, "metadata_json": _metadata(metadata)}


def _form_bytes(mime, value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if not isinstance(value, str):
        return _dumps(value, default=str, ensure_ascii=False).encode("utf-8", "backslashreplace")
    if mime.startswith(("image/", "application/pdf")) and mime != "image/svg+xml":
        return _b64decode(value)
    return value.encode("utf-8", "backslashreplace")


def _cut(content, limit):
    keep = max(limit - 64, 0)
    head = content[:keep].decode("utf-8", "ignore").encode("utf-8")
    return head + b"\n... [%d more bytes not shown]" % (len(content) - len(head))


def _metadata(metadata):
    if not metadata:
        return ""
    try:
        text = _dumps(metadata, default=str)
    except Exception:
        return ""
    return text if len(text) <= _MAX_METADATA else ""


_PLAIN_TYPES = (bool, bytes, complex, dict, float, frozenset, int, list, range, set, str, tuple)


def _format(shell, value):
    """All forms. A dozen formatters are asked in turn, which plain values are spared."""
    formatter = shell.display_formatter
    if type(value) in _PLAIN_TYPES and shell.has_only_text(type(value)):
        return {TEXT: formatter.formatters[TEXT](value)}, {}
    return formatter.format(value)


def safe_format(shell, value):
    """(forms, metadata) of any value; one that cannot be shown says so in its text form."""
    try:
        with shell.formatting():
            data, metadata = _format(shell, value)
    except Exception as error:
        data, metadata = {}, {}
        reason = error
    else:
        reason = shell.formatting_error
    data = {mime: form for mime, form in data.items() if form is not None}
    if not data or (TEXT not in data and reason is not None):
        if not data and reason is None:
            return data, metadata  # _ipython_display_ took care of it
        data[TEXT] = "<%s object: its text form raised %s>" % (
            type(value).__name__,
            type(reason).__name__,
        )
    return data, metadata


class CellDisplayHook(DisplayHook):
    """sys.displayhook while cells run: the value of the last expression."""

    display = None  # set by the shell

    def quiet(self):
        return self.shell.quiet_value

    def write_output_prompt(self):
        pass

    def compute_format_data(self, result):
        return safe_format(self.shell, result)

    def write_format_data(self, format_dict, md_dict=None):
        self.display.publish(format_dict, md_dict, result_count=self.prompt_count)

    def log_output(self, format_dict):
        pass

    def finish_displayhook(self):
        pass

    def cull_cache(self):
        """Forgets the oldest fifth of Out, silently: values must not pile up for ever."""
        outputs = self.shell.user_ns.get("_oh", {})
        for number in sorted(outputs)[: max(len(outputs) // 5, 2)]:
            self.shell.user_ns.pop("_%d" % number, None)
            outputs.pop(number, None)


class CellDisplayPublisher(DisplayPublisher):
    """Where IPython's display() ends."""

    display = None  # set by the shell

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **kwargs):
        display_id = str((transient or {}).get("display_id") or "")
        self.display.publish(data, metadata, display_id, update)

    def clear_output(self, wait=False):
        self.display.clear(wait)
