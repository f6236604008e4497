"""A real cellblockd with folders of its own, and a client made from the .proto files.

Binaries come from CELLBLOCK_BIN. Nothing that the test did not start is touched.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import grpc
from grpc_tools import protoc

BIN = os.environ["CELLBLOCK_BIN"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MESSAGE_LIMIT = 32 << 20

_stubs = tempfile.TemporaryDirectory(prefix="cellblock-stubs-")
_proto = os.path.join(ROOT, "proto")
if protoc.main(["protoc", f"-I{_proto}", "-I/usr/include", f"--python_out={_stubs.name}",
                f"--grpc_python_out={_stubs.name}",
                *(f"{_proto}/cellblock/v1/{name}.proto" for name in ("cell", "policy", "runtime"))]):
    raise SystemExit("protoc failed")
sys.path.insert(0, _stubs.name)

from cellblock.v1 import cell_pb2, runtime_pb2, runtime_pb2_grpc  # noqa: E402


class Daemon:
    """Starts on construction; stop() or use as a context."""

    def __init__(self, folder=None, state_dir=None, config="", wait=True):
        self.own_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="cellblock-e2e-")
        os.chmod(self.folder, 0o755)
        self.state_dir = state_dir or os.path.join(self.folder, "state")
        self.socket = os.path.join(self.folder, "sock", "cellblockd.sock")
        path = os.path.join(self.folder, "config")
        with open(path, "w") as file:
            file.write(f'no_self_test: true no_image_cache: true {config}\n'
                       f'launcher {{ run_dir: "{self.folder}/run" host_image: true }}\n')
        self.log = open(os.path.join(self.folder, "log"), "ab+")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "cellblockd"), "--config", path, "--socket", self.socket,
             "--state_dir", self.state_dir], stderr=self.log)
        self._channel = None
        if wait:
            self.wait_until_serving()

    def wait_until_serving(self):
        deadline = time.monotonic() + 60
        while not os.path.exists(self.socket):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the daemon does not serve:\n" + self.log_text())
            time.sleep(0.02)
        grpc.channel_ready_future(self.channel).result(timeout=60)

    @property
    def channel(self):
        if self._channel is None:
            self._channel = grpc.insecure_channel(
                "unix:" + self.socket,
                options=[("grpc.max_receive_message_length", MESSAGE_LIMIT),
                         ("grpc.max_send_message_length", -1)])
        return self._channel

    @property
    def stub(self):
        return runtime_pb2_grpc.RuntimeStub(self.channel)

    def log_text(self):
        with open(os.path.join(self.folder, "log")) as file:
            return file.read()

    def launcher_pid(self):
        for pid in children(self.process.pid):
            with open(f"/proc/{pid}/comm") as file:
                if file.read().startswith("cellblock-launc"):
                    return pid
        raise AssertionError("no launcher")

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def session(self, **fields):
        return Session(self.stub, self.stub.CreateSession(
            runtime_pb2.CreateSessionRequest(**fields), timeout=120))

    def stop(self):
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def descendants(pid):
    """Every process below `pid`, on the host's side."""
    found = []
    try:
        for child in children(pid):
            found += [child] + descendants(child)
    except FileNotFoundError:
        pass
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def await_true(condition, timeout=10):
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Session:
    def __init__(self, stub, facts):
        self.stub = stub
        self.facts = facts
        self.id = facts.id

    def start(self, code, **fields):
        if isinstance(code, str):
            code = code.encode()
        return self.stub.Execute(
            runtime_pb2.ExecuteRequest(session_id=self.id, code=code, **fields), timeout=300)

    def events(self, code, **fields):
        return list(self.start(code, **fields))

    def run(self, code, **fields):
        """The result alone."""
        return self.events(code, **fields)[-1].result

    def outcome(self, code, **fields):
        return cell_pb2.Outcome.Name(self.run(code, **fields).outcome)

    def stdout(self, code, **fields):
        return b"".join(event.output.data for event in self.events(code, **fields)
                        if event.WhichOneof("event") == "output" and not event.output.late
                        and event.output.stream == cell_pb2.STDOUT)

    def upload(self, path, data=b"", chunk=1 << 20):
        def parts():
            yield runtime_pb2.UploadFileRequest(target={"session_id": self.id, "path": path})
            for at in range(0, len(data), chunk):
                yield runtime_pb2.UploadFileRequest(data=data[at:at + chunk])
        return self.stub.UploadFile(parts(), timeout=120)

    def download(self, path, **fields):
        parts = self.stub.DownloadFile(runtime_pb2.DownloadFileRequest(
            session_id=self.id, path=path, **fields), timeout=120)
        return b"".join(part.data for part in parts if part.WhichOneof("part") == "data")

    def list(self, **fields):
        return list(self.stub.ListFiles(runtime_pb2.ListFilesRequest(
            session_id=self.id, **fields), timeout=120))

    def refresh(self):
        return self.stub.GetSession(runtime_pb2.GetSessionRequest(session_id=self.id), timeout=60)

    def delete(self):
        return self.stub.DeleteSession(runtime_pb2.DeleteSessionRequest(session_id=self.id),
                                       timeout=60)


def neutral(event):
    """An ExecuteEvent as the dict that tests/cells/README.md describes."""
    kind = event.WhichOneof("event")
    body = getattr(event, kind)
    if kind == "started":
        return {"type": "started", "execution_count": body.execution_count}
    if kind == "output":
        return {"type": "output", "data": body.data, "late": body.late,
                "stream": "stdout" if body.stream == cell_pb2.STDOUT else "stderr"}
    if kind == "display":
        return {"type": "display", **_bundle(body.bundle), "display_id": body.display_id,
                "update": body.update}
    if kind == "value":
        return {"type": "value", **_bundle(body.bundle), "execution_count": body.execution_count}
    if kind == "clear_output":
        return {"type": "clear_output", "wait": body.wait}
    if kind == "error":
        return {"type": "error", **_error(body)}
    if kind == "input_request":
        return {"type": "input_request", "prompt": body.prompt, "password": body.password}
    return {"type": kind}


def _bundle(bundle):
    return {"data": dict(bundle.data), "metadata_json": bundle.metadata_json,
            "omitted": list(bundle.omitted)}


def _error(error):
    return {"name": error.name, "value": error.value, "traceback": error.traceback,
            "traceback_ansi": error.traceback_ansi, "line": error.line, "column": error.column,
            "frames": [{"file": f.file, "function": f.function, "line": f.line,
                        "source": f.source, "user_code": f.user_code} for f in error.frames]}


def neutral_result(result):
    expressions = {}
    for name, value in result.user_expressions.items():
        expressions[name] = (_bundle(value.value) if value.WhichOneof("result") == "value"
                             else {"error": _error(value.error)})
    return {"outcome": cell_pb2.Outcome.Name(result.outcome), "exit_status": result.exit_status,
            "signal": result.signal, "execution_count": result.execution_count,
            "state": cell_pb2.StateFate.Name(result.state), "user_expressions": expressions}


def interrupt_later(session, execution_id, seconds):
    """Interrupts so many seconds from now, each in a thread of its own."""
    for delay in seconds:
        timer = threading.Timer(delay, lambda: session.stub.Interrupt(
            runtime_pb2.InterruptRequest(session_id=session.id, execution_id=execution_id)))
        timer.daemon = True
        timer.start()
