"""A worker outside any sandbox: a socket pair, two pipes and the part of a daemon around them."""
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "rootfs" / "worker"
WORKER = os.environ.get("CELLBLOCK_WORKER", str(SOURCE))
PYTHON = os.environ.get("CELLBLOCK_PYTHON", "/usr/bin/python3")
sys.path.insert(0, str(SOURCE))

from cellblock_worker import frame, wire  # noqa: E402

SCHEMAS = {
    frame.READY: wire.READY,
    frame.DISPLAY: wire.DISPLAY,
    frame.CLEAR: wire.CLEAR,
    frame.ERROR: wire.ERROR,
    frame.INPUT_REQUEST: wire.INPUT_REQUEST,
    frame.DONE: wire.DONE,
}
OUTCOMES = {
    wire.STATUS_OK: "OK",
    wire.STATUS_ERROR: "EXCEPTION",
    wire.STATUS_INTERRUPTED: "INTERRUPTED",
    wire.STATUS_EXIT: "EXITED",
}
TIMEOUT = 60.0


class WorkerGone(Exception):
    """The worker ended; wait_status tells how."""


class Worker:
    """One interpreter. Frames that are malformed or foreign are counted and dropped."""

    def __init__(self, folder, incarnation=7, environment=None):
        self.incarnation = incarnation
        self.dropped = 0
        self._count = 0
        self._cell = 1000
        self._partial = b""
        self._folder = folder
        self._start(environment or {})
        started = time.monotonic()
        kind, cell, self.ready = self.next_message()
        self.start_seconds = time.monotonic() - started
        assert (kind, cell) == (frame.READY, 0), kind

    def _start(self, environment):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._pipes = {}
        ends = []
        for name in ("stdout", "stderr"):
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            self._pipes[name] = reader
            ends.append(writer)
        home = os.path.join(self._folder, "home")
        work = os.path.join(self._folder, "work")
        os.makedirs(home, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        env = {
            "HOME": home,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "USER": "cell",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "CELLBLOCK_INCARNATION": str(self.incarnation),
        }
        env.update(environment)
        # A shell-free way to place the socket at 3 whatever number it has here.
        self.process = subprocess.Popen(
            [PYTHON, "-s", "-B", WORKER],
            stdin=subprocess.DEVNULL,
            stdout=ends[0],
            stderr=ends[1],
            cwd=work,
            env=env,
            pass_fds=(3,),
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
            start_new_session=True,
        )
        theirs.close()
        for end in ends:
            os.close(end)

    def close(self):
        self.control.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        for reader in self._pipes.values():
            os.close(reader)
        self._pipes = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, kind, message, schema, cell):
        for datagram in frame.split(kind, self.incarnation, cell, wire.encode(schema, message)):
            self.control.send(datagram)

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def next_message(self, timeout=TIMEOUT, output=None):
        """(kind, cell, message) of the next whole message; None at the deadline."""
        deadline = time.monotonic() + timeout
        while True:
            left = deadline - time.monotonic()
            sources = [self.control] + (list(self._pipes.values()) if output is not None else [])
            ready, _, _ = select.select(sources, [], [], max(left, 0))
            if self.control in ready:
                datagram = self.control.recv(frame.HEADER_SIZE + frame.MAX_PAYLOAD + 1)
                if not datagram:
                    raise WorkerGone()
                # What was printed before a display or an error is in the pipes already.
                if output is not None:
                    self.drain(output)
                message = self._take(datagram)
                if message is not None:
                    return message
            elif ready:
                self.drain(output)
            elif left <= 0:
                return None

    def _take(self, datagram):
        parsed = frame.parse(datagram)
        if parsed is None or parsed[2] != self.incarnation or parsed[0] not in SCHEMAS:
            self.dropped += 1
            return None
        kind, more, _, cell, payload = parsed
        self._partial += payload
        if more:
            return None
        whole, self._partial = self._partial, b""
        return kind, cell, wire.decode(SCHEMAS[kind], whole)

    def drain(self, events):
        """Appends what the pipes hold to events."""
        for name, reader in self._pipes.items():
            while True:
                try:
                    data = os.read(reader, 1 << 16)
                except BlockingIOError:
                    break
                if not data:
                    break
                last = events[-1] if events else {}
                if last.get("type") == "output" and last["stream"] == name:
                    last["data"] += data
                else:
                    events.append({"type": "output", "stream": name, "data": data})

    def run(self, code, silent=False, name="", inputs=None, interrupts=(), expressions=None,
            max_display_bytes=0, timeout=TIMEOUT):
        """Runs a cell to its end; the neutral result of tests/cells/README.md."""
        self._cell += 1
        cell = self._cell
        request = {
            "code": code if isinstance(code, bytes) else code.encode(),
            "silent": silent,
            "name": name,
            "offer_input": inputs is not None,
            "expressions": [
                {"name": key, "code": value} for key, value in (expressions or {}).items()
            ],
            "max_display_bytes": max_display_bytes,
        }
        self.send(frame.RUN_CELL, request, wire.RUN_CELL, cell)
        started = self._count + (0 if silent else 1)
        events = [{"type": "started", "execution_count": started}]
        try:
            done = self._collect(cell, events, list(inputs or []), list(interrupts), timeout)
        except WorkerGone:
            self.drain(events)
            return {"events": events, "result": self._death()}
        self.drain(events)
        return {"events": events, "result": _result(done)}

    def _collect(self, cell, events, inputs, interrupts, timeout):
        started = time.monotonic()
        while True:
            now = time.monotonic() - started
            if now > timeout:
                self.process.kill()
                raise AssertionError("the cell did not end; events: %r" % events[-5:])
            wait = min([timeout - now] + [max(s - now, 0) for s in interrupts[:1]])
            message = self.next_message(wait, events)
            if message is None:
                if interrupts:
                    interrupts.pop(0)
                    self.interrupt()
                continue
            kind, of_cell, body = message
            if of_cell != cell:
                self.dropped += 1
            elif kind == frame.DONE:
                self._count = body["execution_count"]
                if body["value"] is not None:
                    events.append(_display(body["value"]))
                return body
            else:
                self._event(kind, cell, body, events, inputs)

    def _event(self, kind, cell, body, events, inputs):
        if kind == frame.DISPLAY:
            events.append(_display(body))
        elif kind == frame.INPUT_REQUEST:
            events.append(dict(body, type="input_request"))
            reply = {"text": inputs.pop(0).encode()} if inputs else {"end_of_file": True}
            self.send(frame.INPUT_REPLY, reply, wire.INPUT_REPLY, cell)
        else:
            name = {frame.CLEAR: "clear_output", frame.ERROR: "error"}
            events.append(dict(body, type=name[kind]))
        if body.pop("wants_reply", False):
            self.send(frame.SHOWN, {}, {}, cell)

    def _death(self):
        status = self.process.wait(10)
        result = {"state": "LOST", "execution_count": 0, "exit_status": 0, "signal": 0}
        if status >= 0:
            result.update(outcome="EXITED", exit_status=status)
        else:
            result.update(outcome="SIGNALED", signal=-status)
        return result


def _display(body):
    event = {
        "type": "value" if body["is_result"] else "display",
        "data": {form["type"]: form["data"] for form in body["forms"]},
        "metadata_json": body["metadata_json"],
        "omitted": body["omitted"],
    }
    if body["is_result"]:
        event["execution_count"] = body["execution_count"]
    else:
        event.update(display_id=body["display_id"], update=body["update"])
    return event


def _result(done):
    expressions = {}
    for item in done["expressions"]:
        value = item["value"]
        expressions[item["name"]] = (
            {"error": item["error"]} if value is None else _display(value)
        )
    return {
        "outcome": OUTCOMES[done["status"]],
        "execution_count": done["execution_count"],
        "exit_status": done["exit_code"],
        "signal": 0,
        "state": "PRESERVED",
        "user_expressions": expressions,
    }
