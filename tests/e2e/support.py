"""A real cellblockd with folders and uids of its own, and a client made from the .proto files.

Binaries come from CELLBLOCK_BIN. Nothing that a test did not start is touched, and every daemon is
checked for what it left behind. CELLBLOCK_MUST_WORK=1 turns skips into failures.
"""
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid

import grpc
from grpc_tools import protoc

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("CELLBLOCK_BIN", os.path.join(ROOT, "build", "dev", "bin"))
MESSAGE_LIMIT = 32 << 20
CELLBLOCK_MUST_WORK = os.environ.get("CELLBLOCK_MUST_WORK", "") not in ("", "0")
UIDS_PER_DAEMON = 512

_stubs = tempfile.TemporaryDirectory(prefix="cellblock-stubs-")
_proto = os.path.join(ROOT, "proto")
if protoc.main(["protoc", f"-I{_proto}", "-I/usr/include", f"--python_out={_stubs.name}",
                f"--grpc_python_out={_stubs.name}", f"{_proto}/internal/status.proto",
                *(f"{_proto}/cellblock/v1/{name}.proto" for name in ("cell", "policy", "runtime"))]):
    raise SystemExit("protoc failed")
sys.path.insert(0, _stubs.name)

from cellblock.v1 import cell_pb2, runtime_pb2, runtime_pb2_grpc  # noqa: E402
from internal import status_pb2  # noqa: E402

LOST, PRESERVED = cell_pb2.LOST, cell_pb2.PRESERVED
INVALID = grpc.StatusCode.INVALID_ARGUMENT
NOT_FOUND = grpc.StatusCode.NOT_FOUND
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION

_daemon_numbers = itertools.count()


def require(condition, why):
    """Skips the test if this host cannot run it; fails where everything must work."""
    if condition:
        return
    if CELLBLOCK_MUST_WORK:
        raise AssertionError(f"cannot run here: {why}")
    raise unittest.SkipTest(why)


def own_uids():
    """The first uid of a range that no other test of this run uses, so that leaks show."""
    return (1_200_000_000 + os.getpid() % 100_000 * UIDS_PER_DAEMON * 10
            + next(_daemon_numbers) % 10 * UIDS_PER_DAEMON)


class Daemon:
    """Starts on construction; stop() it, or use it as a context."""

    def __init__(self, config="", folder=None, state_dir=None, run_dir=None, uid_base=None,
                 socket=None, self_test=False, image_cache=False, command=(), wait=True,
                 image_store="", launcher=""):
        require(os.geteuid() == 0, "sandboxes are made by root")
        require(os.path.exists(os.path.join(BIN, "cellblockd")), f"no cellblockd in {BIN}")
        self.own_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="cellblock-e2e-")
        os.chmod(self.folder, 0o755)
        self.state_dir = state_dir or os.path.join(self.folder, "state")
        self.run_dir = run_dir or os.path.join(self.folder, "run")
        self.socket = socket or os.path.join(self.folder, "sock", "cellblockd.sock")
        self.uid_base = uid_base or own_uids()
        path = os.path.join(self.folder, "config")
        with open(path, "w") as file:
            file.write(f'no_self_test: {str(not self_test).lower()} '
                       f'no_image_cache: {str(not image_cache).lower()} {config}\n'
                       f'launcher {{ run_dir: "{self.run_dir}" host_image: true '
                       f'image_store: "{image_store}" '
                       f'uid_base: {self.uid_base} uid_count: {UIDS_PER_DAEMON} {launcher} }}\n')
        self.log_path = os.path.join(self.folder, "log")
        self._channel = None
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*command, os.path.join(BIN, "cellblockd"), "--config", path, "--socket",
                 self.socket, "--state_dir", self.state_dir], stderr=log)
        try:
            if wait:
                self.wait_until_serving()
        except BaseException:
            self.stop()
            raise

    def wait_until_serving(self):
        deadline = time.monotonic() + 60
        while not self._accepts():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the daemon does not serve:\n" + self.log_text())
            time.sleep(0.02)

    def _accepts(self):
        if not os.path.exists(self.socket):
            return False
        try:
            grpc.channel_ready_future(self.channel).result(timeout=5)
            return True
        except grpc.FutureTimeoutError:
            self.close_channel()
            return False

    @property
    def channel(self):
        if self._channel is None:
            self._channel = grpc.insecure_channel(
                "unix:" + self.socket,
                options=[("grpc.max_receive_message_length", MESSAGE_LIMIT),
                         ("grpc.max_send_message_length", -1),
                         ("grpc.use_local_subchannel_pool", 1)])
        return self._channel

    def close_channel(self):
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    @property
    def stub(self):
        return runtime_pb2_grpc.RuntimeStub(self.channel)

    def log_text(self):
        with open(self.log_path, errors="replace") as file:
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

    def peak_resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

    def reset_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def session(self, **fields):
        return Session(self.stub, self.stub.CreateSession(
            runtime_pb2.CreateSessionRequest(**fields), timeout=120))

    def info(self):
        return self.stub.GetServerInfo(runtime_pb2.GetServerInfoRequest(), timeout=60)

    def own_processes(self):
        """Every process of the host whose uid lies in this daemon's range, the daemon included."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/status") as file:
                    fields = dict(line.split(":", 1) for line in file if ":" in line)
            except (FileNotFoundError, ProcessLookupError):
                continue
            uid = int(fields["Uid"].split()[0])
            if self.uid_base <= uid < self.uid_base + UIDS_PER_DAEMON and "Z" not in fields["State"]:
                found.append(int(name))
        return found

    def runs(self):
        try:
            return sorted(os.listdir(os.path.join(self.run_dir, "runs")))
        except FileNotFoundError:
            return []

    def left_over(self, folders_too=True):
        """What is still there of an ended daemon; empty if nothing is."""
        left = [f"process {pid} ({command_of(pid)})" for pid in self.own_processes()]
        left += [f"mount {line}" for line in all_mounts() if self.folder in line]
        if folders_too:
            left += [f"run {name}" for name in self.runs()]
        return left

    def end(self):
        """SIGTERM, and the exit status."""
        self.close_channel()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("the daemon did not end:\n" + self.log_text()) from None
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close_channel()

    def stop(self):
        """Ends it however it is, and checks that no process and no mount is left."""
        try:
            self.end()
            if not await_true(lambda: not self.left_over(folders_too=False)):
                raise AssertionError(f"left over: {self.left_over()}\n{self.log_text()}")
        finally:
            if self.own_folder:
                shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


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
        return outcome(self.run(code, **fields))

    def stdout(self, code, **fields):
        return text_of(self.events(code, **fields))

    def attach(self, execution_id, after=0):
        return self.stub.AttachExecution(runtime_pb2.AttachExecutionRequest(
            session_id=self.id, execution_id=execution_id, after_sequence=after), timeout=120)

    def execution(self, execution_id):
        return self.stub.GetExecution(runtime_pb2.GetExecutionRequest(
            session_id=self.id, execution_id=execution_id), timeout=60)

    def interrupt(self, execution_id=""):
        return self.stub.Interrupt(runtime_pb2.InterruptRequest(
            session_id=self.id, execution_id=execution_id), timeout=60)

    def cancel(self, execution_id="", **fields):
        return self.stub.Cancel(runtime_pb2.CancelRequest(
            session_id=self.id, execution_id=execution_id, **fields), timeout=60)

    def kill(self):
        return self.stub.Kill(runtime_pb2.KillRequest(session_id=self.id), timeout=60)

    def provide_input(self, execution_id, text=b"", end_of_file=False):
        return self.stub.ProvideInput(runtime_pb2.ProvideInputRequest(
            session_id=self.id, execution_id=execution_id, text=text, end_of_file=end_of_file),
            timeout=60)

    def upload(self, path, data=b"", chunk=1 << 20, **target):
        def parts():
            yield runtime_pb2.UploadFileRequest(
                target={"session_id": self.id, "path": path, **target})
            for at in range(0, len(data), chunk):
                yield runtime_pb2.UploadFileRequest(data=data[at:at + chunk])
        return self.stub.UploadFile(parts(), timeout=120)

    def download(self, path, **fields):
        parts = self.stub.DownloadFile(runtime_pb2.DownloadFileRequest(
            session_id=self.id, path=path, **fields), timeout=120)
        return b"".join(part.data for part in parts if part.WhichOneof("part") == "data")

    def list(self, path=b"", **fields):
        return list(self.stub.ListFiles(runtime_pb2.ListFilesRequest(
            session_id=self.id, path=path, **fields), timeout=120))

    def remove(self, path, **fields):
        return self.stub.RemoveFile(runtime_pb2.RemoveFileRequest(
            session_id=self.id, path=path, **fields), timeout=60)

    def refresh(self):
        return self.stub.GetSession(runtime_pb2.GetSessionRequest(session_id=self.id), timeout=60)

    def delete(self):
        return self.stub.DeleteSession(runtime_pb2.DeleteSessionRequest(session_id=self.id),
                                       timeout=60)

    def delete_if_there(self):
        try:
            self.delete()
        except grpc.RpcError as error:
            if error.code() != NOT_FOUND:
                raise


class DaemonTest(unittest.TestCase):
    """A test class with one daemon, which must leave nothing behind."""
    config = ""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(cls.config)
        cls.addClassCleanup(cls.daemon.stop)

    def new_session(self, **fields):
        session = self.daemon.session(**fields)
        self.addCleanup(session.delete_if_there)
        return session

    def assert_outcome(self, result, name, state=None):
        self.assertEqual(outcome(result), name, result)
        if state is not None:
            self.assertEqual(result.state, state, result)

    def assert_usable(self, session):
        self.assertEqual(session.stdout("print(6 * 7)"), b"42\n")

    def assert_status(self, codes, call, reason=None):
        """The call fails with one of the codes and says why in its details."""
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        error = caught.exception
        codes = codes if isinstance(codes, tuple) else (codes,)
        self.assertIn(error.code(), codes, error.details())
        info = error_info(error)
        if reason is not None:
            self.assertEqual(info.reason, reason, error.details())
        return info


class SessionTest(DaemonTest):
    """... and a session of its own for every test."""

    def setUp(self):
        self.session = self.new_session()

    def check_usable(self):
        self.assert_usable(self.session)


def error_info(error):
    """The ErrorInfo of a failed call, or None if the call never came to the service."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            details = status_pb2.StatusDetails.FromString(value).details
            info = runtime_pb2.ErrorInfo()
            if len(details) == 1 and details[0].Unpack(info):
                return info
    return None


def outcome(result):
    return cell_pb2.Outcome.Name(result.outcome)


def text_of(events, stream=cell_pb2.STDOUT, late=False):
    return b"".join(event.output.data for event in events
                    if event.WhichOneof("event") == "output" and event.output.late == late
                    and event.output.stream == stream)


def new_id():
    return uuid.uuid4().hex


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def descendants(pid):
    """Every process below `pid`, on the host's side."""
    found = []
    try:
        for child in children(pid):
            found += [child] + descendants(child)
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def command_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return "ended"


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_mounts():
    """The mount table of every mount namespace that some process of the host lives in."""
    seen, lines = set(), []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            namespace = os.readlink(f"/proc/{name}/ns/mnt")
            if namespace not in seen:
                seen.add(namespace)
                with open(f"/proc/{name}/mountinfo") as file:
                    lines += file.read().splitlines()
        except OSError:
            continue
    return lines


def await_true(condition, timeout=10):
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def later(seconds, act):
    """Runs `act` in a thread of its own, so many seconds from now."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer
