"""Speaks to a real cellblock-launcher and to the inits and workers that it makes.

The launcher under test gets a run folder of its own; nothing else on the host is touched.
"""
import array
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile

BIN = os.environ["CELLBLOCK_BIN"]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

_generated = tempfile.TemporaryDirectory(prefix="cellblock-pb-")
subprocess.run(["protoc", "--python_out", _generated.name, "-I", os.path.join(ROOT, "proto"),
                "internal/launcher.proto"], check=True)
sys.path.insert(0, _generated.name)
from internal import launcher_pb2 as pb  # noqa: E402
from google.protobuf import text_format  # noqa: E402

FILTER = subprocess.run([os.path.join(BIN, "compile-policy"),
                         os.path.join(ROOT, "policies", "python.textproto")],
                        check=True, stdout=subprocess.PIPE).stdout


def limits(**changes):
    values = dict(memory_bytes=1 << 30, pids=64, cpu_millis=1000, disk_bytes=64 << 20, disk_inodes=2000,
                  shm_bytes=16 << 20, open_files=512, file_size_bytes=1 << 30,
                  stack_bytes=8 << 20)
    values.update(changes)
    return pb.Limits(**values)


def receive(sock, size=300000, timeout=20):
    """One datagram and the descriptors that came with it; b'' at the end."""
    if not select.select([sock], [], [], timeout)[0]:
        raise TimeoutError("no datagram")
    data, ancillary, _, _ = sock.recvmsg(size, socket.CMSG_SPACE(64))
    fds = array.array("i")
    for _, _, payload in ancillary:
        fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
    return data, list(fds)


class Launcher:
    def __init__(self, run_dir, stderr=None, **config):
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = pb.LauncherConfig(
            run_dir=run_dir, init_path=os.path.join(BIN, "cellblock-init"),
            worker_dir=os.path.join(HERE, "test_worker"), host_image=True)
        settings.MergeFrom(pb.LauncherConfig(**config))
        text, text_end = os.pipe()
        os.write(text_end, text_format.MessageToString(settings).encode())
        os.close(text_end)

        def place():
            high = [os.dup(far.fileno()), os.dup(text)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen([os.path.join(BIN, "cellblock-launcher")],
                                        preexec_fn=place, pass_fds=(3, 4), stderr=stderr)
        far.close()
        os.close(text)
        self.socket = near
        self.events = []
        self._id = 0

    def send(self, **op):
        self._id += 1
        self.socket.send(pb.LauncherRequest(id=self._id, **op).SerializeToString())
        return self._id

    def answer(self, number):
        while True:
            data, fds = receive(self.socket)
            if not data:
                raise EOFError("the launcher is gone")
            reply = pb.LauncherReply.FromString(data)
            if reply.id == number:
                return reply, fds
            self.events.append(reply.event)

    def call(self, **op):
        return self.answer(self.send(**op))

    def create(self, **changes):
        values = dict(image="host", limits=limits(), seccomp_program=FILTER)
        values.update(changes)
        return self.call(create=pb.CreateSandboxRequest(**values))

    def sandbox(self, **changes):
        reply, fds = self.create(**changes)
        if reply.HasField("failure"):
            raise AssertionError(str(reply.failure))
        return Sandbox(self, reply.create, fds)

    def await_event(self, timeout=20):
        if not self.events:
            data, _ = receive(self.socket, timeout=timeout)
            self.events.append(pb.LauncherReply.FromString(data).event)
        return self.events.pop(0)

    def close(self):
        self.socket.close()
        return self.process.wait(timeout=20)


class Sandbox:
    """init's end of a sandbox: the structs of sandbox/child/init_protocol.h."""

    REQUEST = struct.Struct("=IIIIiiq")
    MESSAGE = struct.Struct("=IIiiqqqIIq")

    def __init__(self, launcher, created, fds):
        self.launcher = launcher
        self.id = created.sandbox
        self.created = created
        self.init_pid = created.init_pid
        self.pidfd, init, *self.group_fds = fds
        self.init = socket.socket(fileno=init)
        self._tag = 0
        self.message()  # hello

    def message(self):
        data, fds = receive(self.init)
        if not data:
            raise EOFError("init is gone")
        fields = self.MESSAGE.unpack_from(data)
        names = ("kind", "tag", "error", "pid", "value", "value2", "value3", "type", "mode",
                 "ctime_ns")
        message = dict(zip(names, fields))
        message["path"] = data[self.MESSAGE.size:].split(b"\0")[0]
        message["fds"] = fds
        return message

    def send(self, op, path=b"", flags=0, mode=0, pid=0, number=0, fd=None, tag=None):
        if tag is None:
            self._tag += 1
            tag = self._tag
        data = self.REQUEST.pack(op, tag, flags, mode, pid, 0, number) + path + b"\0"
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))] if fd else []
        self.init.sendmsg([data], rights)
        return tag

    def request(self, op, **arguments):
        tag = self.send(op, **arguments)
        entries = []
        while True:
            message = self.message()
            if message["tag"] == tag and message["kind"] == 1:
                message["entries"] = entries
                return message
            if message["kind"] == 2:
                entries.append(message)

    def upload(self, path, data, promised=None, mode=0o644):
        read_end, write_end = os.pipe()
        tag = self.send(4, path=path, mode=mode, fd=read_end)
        os.close(read_end)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(write_end, view[:65536]):]
        except BrokenPipeError:
            pass
        os.close(write_end)
        self.send(8, tag=tag, number=len(data) if promised is None else promised)
        while True:
            message = self.message()
            if message["tag"] == tag:
                return message

    def worker(self, incarnation=1, **environment):
        reply, fds = self.launcher.call(spawn=pb.SpawnWorkerRequest(
            sandbox=self.id, incarnation=incarnation, environment=environment))
        if reply.HasField("failure"):
            raise AssertionError(str(reply.failure))
        return Worker(reply.spawn.pid_in_sandbox, fds)

    def destroy(self):
        reply, _ = self.launcher.call(destroy=pb.DestroySandboxRequest(sandbox=self.id))
        return reply.destroy


class Worker:
    def __init__(self, pid, fds):
        self.pid = pid
        self.pidfd, control, self.stdout, self.stderr, *self.group_fds = fds
        self.control = socket.socket(fileno=control)
        data, _ = receive(self.control)
        if data != b"ready":
            raise AssertionError(os.read(self.stderr, 65536).decode())

    def eval(self, expression, timeout=20):
        self.control.send(expression.encode())
        data, _ = receive(self.control, timeout=timeout)
        return data.decode()
