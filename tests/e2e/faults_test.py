"""What hostile or unlucky code does to its session, to its neighbours and to the daemon."""
import hashlib
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

import grpc

from daemon import (Daemon, await_true, cell_pb2, children, descendants, is_alive, runtime_pb2)

LOST, PRESERVED = cell_pb2.LOST, cell_pb2.PRESERVED


class SharedDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)

    def setUp(self):
        self.session = self.daemon.session()
        self.addCleanup(self.session.delete)

    def check_usable(self):
        self.assertEqual(self.session.stdout("print(6 * 7)"), b"42\n")

    def status_of(self, call):
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        return caught.exception.code()


class Endings(SharedDaemon):
    def test_endings_of_the_interpreter(self):
        for code, outcome, state, field, value in (
                ("import os; os._exit(3)", "EXITED", LOST, "exit_status", 3),
                ("import sys; sys.exit(4)", "EXITED", PRESERVED, "exit_status", 4),
                ("import ctypes; ctypes.string_at(0)", "SIGNALED", LOST, "signal", signal.SIGSEGV),
                ("import os; os.abort()", "SIGNALED", LOST, "signal", signal.SIGABRT),
                ("def f(): f()\nf()", "EXCEPTION", PRESERVED, "exit_status", 0),
                ("x = (", "EXCEPTION", PRESERVED, "exit_status", 0)):
            with self.subTest(code=code):
                before = self.session.refresh().epoch
                result = self.session.run(code)
                self.assertEqual(cell_pb2.Outcome.Name(result.outcome), outcome)
                self.assertEqual(result.state, state)
                self.assertEqual(getattr(result, field), value)
                self.assertEqual(result.epoch > before, state == LOST)
                self.assertEqual(self.session.refresh().epoch, result.epoch)
                self.check_usable()

    def test_endless_cells_end_at_the_time_limit(self):
        for code, state in (
                ("while True: pass", PRESERVED),
                ("import time\nwhile True: time.sleep(1)", PRESERVED),
                ("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                 "while True: time.sleep(1)", LOST),
                # Swallowed: the worker sees to it that the cell ends all the same.
                ("while True:\n    try:\n        while True: pass\n    except BaseException: pass",
                 PRESERVED),
                # C code that holds the lock and looks at no signal.
                ("sum(range(10**13))", LOST),
                ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", LOST)):
            with self.subTest(code=code):
                began = time.monotonic()
                result = self.session.run(code, timeout={"seconds": 1})
                self.assertEqual(cell_pb2.Outcome.Name(result.outcome), "TIMEOUT_WALL")
                self.assertEqual(result.state, state, result)
                self.assertLess(time.monotonic() - began, 15)
                self.check_usable()

    def test_files_outlive_the_interpreter(self):
        self.session.run("open('kept', 'w').write('x'); import os; os._exit(1)")
        self.assertEqual(self.session.download(b"kept"), b"x")


class Output(SharedDaemon):
    def test_flood_keeps_head_and_tail_and_memory_flat(self):
        self.session.run("1")
        before = self.daemon.resident_bytes()
        events = self.session.events(
            "import os\nprint('first')\nblock = b'x' * (1 << 20)\nimport sys; sys.stdout.flush()\n"
            "for i in range(1024): os.write(1, block)\nprint('last')")
        result = events[-1].result
        self.assertEqual(cell_pb2.Outcome.Name(result.outcome), "OK")
        self.assertEqual(result.usage.stdout_bytes, (1 << 30) + len("first\nlast\n"))
        output = [event.output.data for event in events if event.WhichOneof("event") == "output"]
        self.assertTrue(output[0].startswith(b"first\n"))
        self.assertTrue(output[-1].endswith(b"last\n"))
        kept = sum(map(len, output))
        gaps = sum(event.gap.bytes for event in events if event.WhichOneof("event") == "gap")
        self.assertEqual(kept + gaps, result.usage.stdout_bytes)
        self.assertLess(self.daemon.resident_bytes() - before, 100 << 20)

    def test_one_line_of_100_mib(self):
        result = self.session.run("print('x' * (100 << 20))")
        self.assertEqual(result.usage.stdout_bytes, (100 << 20) + 1)
        self.check_usable()

    def test_any_byte_passes(self):
        data = bytes(range(256)) + b"\xff\xfe\x00\xed\xa0\x80"
        self.assertEqual(self.session.stdout(f"import os; _ = os.write(1, {data!r})"), data)

    def test_closed_descriptors(self):
        for code in ("import os\nos.close(1); os.close(2)", "import os\nos.closerange(3, 1024)",
                     "import os\nfor fd in range(3, 1024):\n    try: os.dup2(0, fd)\n    except OSError: pass"):
            with self.subTest(code=code):
                self.session.events(code, timeout={"seconds": 20})
                self.check_usable()

    def test_forged_frames(self):
        result = self.session.run(
            "import os, struct\nfor fd in range(3, 1024):\n    for kind in range(0, 40):\n        try:\n"
            "            os.write(fd, struct.pack('<HHIQ', kind, 0, 1, 0) + b'\\x08\\x01')\n"
            "        except OSError: break", timeout={"seconds": 60})
        self.assertIn(cell_pb2.Outcome.Name(result.outcome),
                      ("OK", "EXCEPTION", "EXITED", "SIGNALED", "OUTPUT_LIMIT"))
        self.check_usable()

    def test_survivors_and_held_pipes_do_not_hold_the_cell(self):
        began = time.monotonic()
        self.assertEqual(self.session.outcome(
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(1000)\n"
            "    os._exit(0)\nos.wait()\nimport subprocess\np = subprocess.Popen(['sleep', '1000'])"), "OK")
        self.assertLess(time.monotonic() - began, 20)
        inside = self.session.stdout("import os; print(len([p for p in os.listdir('/proc') if p.isdigit()]))")
        self.assertGreaterEqual(int(inside), 4)
        self.session.run("import os; os._exit(0)")
        inside = self.session.stdout("import os; print(len([p for p in os.listdir('/proc') if p.isdigit()]))")
        self.assertEqual(int(inside), 2)  # init and the new worker

    def test_late_output_is_marked(self):
        self.session.run("import threading, time\n"
                         "threading.Thread(target=lambda: (time.sleep(.5), print('late'))).start()")
        time.sleep(1)
        events = self.session.events("print('now')")
        late = b"".join(event.output.data for event in events
                        if event.WhichOneof("event") == "output" and event.output.late)
        self.assertEqual(late, b"late\n")
        self.assertEqual(events[-1].result.usage.stdout_bytes, 4)


class Resources(SharedDaemon):
    def test_fork_bomb(self):
        result = self.session.run("import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(1000)",
                                  timeout={"seconds": 60})
        self.assertEqual(cell_pb2.Outcome.Name(result.outcome), "EXCEPTION", result)
        self.assertEqual(result.cause, cell_pb2.PIDS)
        self.session.stub.Kill(runtime_pb2.KillRequest(session_id=self.session.id))
        self.check_usable()

    def test_memory_bombs_end_with_the_declared_answer(self):
        neighbour = self.daemon.session()
        self.addCleanup(neighbour.delete)
        for code in ("x = []\nwhile True: x.append(bytearray(64 << 20))",
                     "import mmap\nm = mmap.mmap(-1, 8 << 30)\nwhile True: m.write(b'x' * (16 << 20))",
                     "f = open('/dev/shm/x', 'wb')\nwhile True: f.write(b'x' * (1 << 20))",
                     "f = open('/tmp/x', 'wb')\nwhile True: f.write(b'x' * (1 << 20))",
                     "import os\nfd = os.memfd_create('x')\nwhile True: os.write(fd, b'x' * (16 << 20))"):
            with self.subTest(code=code):
                result = self.session.run(code, timeout={"seconds": 120})
                self.assertIn(cell_pb2.Outcome.Name(result.outcome), ("EXCEPTION", "OOM"), result)
                self.assertEqual(neighbour.stdout("print(1)"), b"1\n")
                self.session.run("import os\nfor p in ('/dev/shm/x', '/tmp/x'):\n"
                                 "    if os.path.exists(p): os.remove(p)")
                self.check_usable()

    def test_full_disk_and_inodes(self):
        result = self.session.run("f = open('big', 'wb')\nwhile True: f.write(b'x' * (1 << 20))")
        self.assertEqual(result.cause, cell_pb2.DISK_FULL)
        self.session.run("import os; f.close(); os.remove('big')")
        result = self.session.run("for i in range(10**6): open(str(i), 'w').close()",
                                  timeout={"seconds": 120})
        self.assertEqual(result.cause, cell_pb2.DISK_FULL)
        self.check_usable()


class Files(SharedDaemon):
    def test_bad_upload_names(self):
        for path in (b"../x", b"/etc/x", b"a/../../x", b"x\0y", b"", b".", b"a//b", b"x" * 300,
                     b"d/" * 2100):
            with self.subTest(path=path):
                self.assertEqual(self.status_of(lambda: self.session.upload(path, b"x")),
                                 grpc.StatusCode.INVALID_ARGUMENT)
        self.assertEqual(self.session.list(recursive=True), [])

    def test_names_are_bytes(self):
        name = b"caf\xe9 \xff\n.txt"
        info = self.session.upload(name, b"data")
        self.assertEqual(info.sha256, hashlib.sha256(b"data").digest())
        self.assertEqual(self.session.download(name), b"data")
        self.assertEqual([entry.path for entry in self.session.list()], [name])

    def test_what_is_no_file_is_not_downloaded(self):
        self.session.run("import os\nos.mkfifo('fifo'); os.symlink('/etc/passwd', 'link'); os.mkdir('dir')\n"
                         "import socket; socket.socket(socket.AF_UNIX).bind('sock')")
        for path in (b"fifo", b"link", b"dir", b"sock", b"missing", b"../etc/passwd"):
            code = self.status_of(lambda: self.session.download(path))
            self.assertIn(code, (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND,
                                 grpc.StatusCode.PERMISSION_DENIED,
                                 grpc.StatusCode.INVALID_ARGUMENT), path)

    def test_large_files_come_back_whole(self):
        data = os.urandom(40 << 20)
        self.session.upload(b"a/b.bin", data)
        self.assertEqual(self.session.download(b"a/b.bin"), data)

    def test_broken_upload_leaves_nothing(self):
        def parts():
            yield runtime_pb2.UploadFileRequest(target={"session_id": self.session.id, "path": b"x"})
            yield runtime_pb2.UploadFileRequest(data=b"x" * 100000)
            broken.wait()
            raise RuntimeError("the client breaks off")
        broken = threading.Event()
        call = self.session.stub.UploadFile.future(parts())
        time.sleep(0.3)
        call.cancel()
        broken.set()
        self.assertTrue(await_true(lambda: self.session.list() == [], 10))

    def test_artifacts_name_new_and_changed_files(self):
        self.session.upload(b"old", b"1")
        result = self.session.run("open('new.txt', 'w').write('hello'); open('old', 'a').write('2')")
        found = {artifact.path: artifact for artifact in result.artifacts}
        self.assertEqual(set(found), {b"new.txt", b"old"})
        self.assertEqual(found[b"new.txt"].sha256, hashlib.sha256(b"hello").digest())
        self.assertTrue(found[b"new.txt"].created)
        self.assertFalse(found[b"old"].created)
        result = self.session.run("import os; os.remove('old')")
        self.assertEqual(list(result.removed_files), [b"old"])


class Calls(SharedDaemon):
    def test_unknown_and_malformed_ids(self):
        stub = self.session.stub
        for session_id in ("", "../../x", "x" * 10000, "0" * 32, self.session.id + "0"):
            for call in (lambda: stub.GetSession(runtime_pb2.GetSessionRequest(session_id=session_id)),
                         lambda: stub.DeleteSession(
                             runtime_pb2.DeleteSessionRequest(session_id=session_id)),
                         lambda: list(stub.Execute(
                             runtime_pb2.ExecuteRequest(session_id=session_id, code=b"1"))),
                         lambda: list(stub.ListFiles(
                             runtime_pb2.ListFilesRequest(session_id=session_id))),
                         lambda: stub.Kill(runtime_pb2.KillRequest(session_id=session_id))):
                self.assertIn(self.status_of(call), (grpc.StatusCode.NOT_FOUND,
                                                     grpc.StatusCode.INVALID_ARGUMENT))

    def test_oversized_message(self):
        self.assertIn(self.status_of(lambda: self.session.run(b"#" * (33 << 20))),
                      (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT))
        self.check_usable()

    def test_later_calls_are_unimplemented(self):
        stub, fields = self.session.stub, {"session_id": self.session.id}
        for call in (lambda: stub.Checkpoint(runtime_pb2.CheckpointRequest(**fields)),
                     lambda: stub.Restore(runtime_pb2.RestoreRequest(**fields)),
                     lambda: stub.ForkSession(runtime_pb2.ForkSessionRequest(**fields)),
                     lambda: self.session.run("1", on_error=1)):
            self.assertEqual(self.status_of(call), grpc.StatusCode.UNIMPLEMENTED)

    def test_lost_client_cancels_and_keeps_state(self):
        call = self.session.start("x = 5\nimport time\nwhile True: time.sleep(.1)")
        next(call)
        time.sleep(0.5)
        call.cancel()
        self.assertTrue(await_true(lambda: self.session.refresh().state == runtime_pb2.IDLE))
        self.assertEqual(self.session.stdout("print(x)"), b"5\n")

    def test_kept_cell_is_joined_again(self):
        execution = uuid.uuid4().hex
        call = self.session.start("import time\nfor i in range(20): print(i, flush=True); time.sleep(.1)",
                                  execution_id=execution,
                                  on_disconnect=runtime_pb2.KEEP_RUNNING)
        seen = [next(call) for _ in range(3)]
        call.cancel()
        rest = list(self.session.stub.AttachExecution(runtime_pb2.AttachExecutionRequest(
            session_id=self.session.id, execution_id=execution, after_sequence=seen[-1].sequence)))
        sequence = [event.sequence for event in seen + rest]
        self.assertEqual(sequence, list(range(1, len(sequence) + 1)))
        text = b"".join(e.output.data for e in seen + rest if e.WhichOneof("event") == "output")
        self.assertEqual(text.split(), [b"%d" % i for i in range(20)])
        again = self.session.events("raise SystemError('must not run')", execution_id=execution)
        self.assertEqual([e.sequence for e in again], sequence)

    def test_create_is_idempotent_on_its_key(self):
        key = uuid.uuid4().hex
        first = self.daemon.session(idempotency_key=key)
        self.addCleanup(first.delete)
        self.assertEqual(self.daemon.session(idempotency_key=key).id, first.id)

    def test_interrupt_cancel_and_kill_keep_their_promises(self):
        loop = "import time\ny = 1\nwhile True: time.sleep(.05)"
        for act, outcome, state in (("Interrupt", "INTERRUPTED", PRESERVED),
                                    ("Cancel", "INTERRUPTED", PRESERVED),
                                    ("Kill", "INTERRUPTED", LOST)):
            with self.subTest(act=act):
                execution = uuid.uuid4().hex
                call = self.session.start(loop, execution_id=execution)
                next(call)
                time.sleep(0.3)
                fields = {"session_id": self.session.id}
                if act != "Kill":
                    fields["execution_id"] = execution
                getattr(self.session.stub, act)(getattr(runtime_pb2, act + "Request")(**fields))
                result = list(call)[-1].result
                self.assertEqual(cell_pb2.Outcome.Name(result.outcome), outcome)
                self.assertEqual(result.state, state)
                self.check_usable()

    def test_slow_reader_holds_nobody_else(self):
        slow = self.session.start("for i in range(300000): print('x' * 50)")
        next(slow)
        other = self.daemon.session()
        self.addCleanup(other.delete)
        began = time.monotonic()
        self.assertEqual(other.stdout("print(1)"), b"1\n")
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(cell_pb2.Outcome.Name(list(slow)[-1].result.outcome), "OK")


class Deaths(unittest.TestCase):
    """kill -9 of each process: no process and no mount is left, and clients are told."""

    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.stop)
        self.sessions = [self.daemon.session() for _ in range(2)]
        self.calls = [session.start("import time\nwhile True: time.sleep(.1)")
                      for session in self.sessions]
        for call in self.calls:
            next(call)
        self.launcher = self.daemon.launcher_pid()
        self.below = descendants(self.launcher)
        self.assertGreaterEqual(len(self.below), 4)

    def check_gone(self):
        self.assertTrue(await_true(lambda: not any(map(is_alive, self.below))), self.below)
        with open("/proc/self/mountinfo") as lines:
            self.assertNotIn(self.daemon.folder, lines.read())

    def test_daemon(self):
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.check_gone()
        self.assertTrue(await_true(lambda: not is_alive(self.launcher)))
        with self.assertRaises(grpc.RpcError) as caught:
            list(self.calls[0])
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)

    def test_launcher(self):
        os.kill(self.launcher, signal.SIGKILL)
        self.check_gone()
        self.assertNotEqual(self.daemon.process.wait(timeout=30), 0)

    def test_launcher_leaves_what_the_next_start_removes(self):
        os.kill(self.launcher, signal.SIGKILL)
        self.daemon.process.wait(timeout=30)
        with Daemon(folder=self.daemon.folder) as again:
            info = again.stub.GetServerInfo(runtime_pb2.GetServerInfoRequest())
            self.assertGreaterEqual(info.leftovers_removed, 1)
            self.assertEqual(len(os.listdir(os.path.join(again.folder, "run", "runs"))), 1)

    def test_init(self):
        for pid in children(self.launcher):
            os.kill(pid, signal.SIGKILL)
        self.check_gone()
        result = list(self.calls[0])[-1].result
        self.assertEqual(cell_pb2.Outcome.Name(result.outcome), "INFRA")
        fresh = self.daemon.session()
        self.assertEqual(fresh.stdout("print(1)"), b"1\n")

    def test_worker(self):
        workers = [pid for init in children(self.launcher) for pid in children(init)]
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        for session, call in zip(self.sessions, self.calls):
            result = list(call)[-1].result
            self.assertEqual(cell_pb2.Outcome.Name(result.outcome), "SIGNALED")
            self.assertEqual(result.state, LOST)
            self.assertEqual(session.stdout("print(2)"), b"2\n")


class Life(unittest.TestCase):
    def test_second_daemon_on_one_state_dir_is_refused(self):
        with Daemon() as first, tempfile.TemporaryDirectory() as folder:
            second = Daemon(folder=folder, state_dir=first.state_dir, wait=False)
            self.addCleanup(second.stop)
            self.assertNotEqual(second.process.wait(timeout=30), 0)
            self.assertIn("state", second.log_text())

    def test_sigterm_drains(self):
        with Daemon() as daemon:
            session = daemon.session()
            call = session.start("import time; time.sleep(1.5); print('done')")
            next(call)
            daemon.process.terminate()
            result = list(call)[-1].result
            self.assertEqual(cell_pb2.Outcome.Name(result.outcome), "OK")
            self.assertEqual(daemon.process.wait(timeout=30), 0)
            self.assertEqual(os.listdir(os.path.join(daemon.folder, "run", "runs")), [])

    def test_expired_session_is_gone(self):
        with Daemon() as daemon:
            session = daemon.session(idle_ttl={"seconds": 1})
            with self.assertRaises(grpc.RpcError) as caught:
                deadline = time.monotonic() + 20
                while time.monotonic() < deadline:
                    time.sleep(1.5)
                    session.stub.GetSession(
                        runtime_pb2.GetSessionRequest(session_id=session.id))
            self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_nothing_grows(self):
        cycles = int(os.environ.get("CELLBLOCK_CYCLES", "60"))
        with Daemon() as daemon:
            def counts():
                pids = (daemon.process.pid, daemon.launcher_pid())
                with open(f"/proc/{pids[1]}/mountinfo") as lines:
                    mounts = len(lines.readlines())
                return [*(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids), mounts,
                        len(descendants(daemon.process.pid))]

            first, memory = None, 0
            for cycle in range(cycles):
                session = daemon.session()
                self.assertEqual(session.stdout("print(1)"), b"1\n")
                receipt = session.delete()
                self.assertTrue(receipt.mounts_gone and receipt.cgroup_removed
                                and receipt.uids_released)
                self.assertEqual(receipt.processes_left, 0)
                if cycle == 10:
                    first, memory = counts(), daemon.resident_bytes()
            time.sleep(1)
            last = counts()
            growth = (daemon.resident_bytes() - memory) / (cycles - 10)
            print(f"\nper cycle over {cycles - 10}: descriptors, mounts, processes "
                  f"{[b - a for a, b in zip(first, last)]}, daemon memory {growth:.0f} bytes")
            for a, b in zip(first, last):
                self.assertLessEqual(b, a + 2)
            self.assertLess(growth, 100_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
