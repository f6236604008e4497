"""kill -9 of each process, at many moments: at once no process and no mount is left, clients are
told, and the next start removes the rest, never touching a live run's."""
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest

import grpc

from faults import (Daemon, LOST, all_mounts, await_true, cell_pb2, children, descendants,
                    is_alive, new_id, outcome, runtime_pb2)

LOOP = "import time\nwhile True: time.sleep(.1)"
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
MOMENTS = (0, .01, .03, .08, .15, .25, .4, .7)


def mounts_of(pid):
    with open(f"/proc/{pid}/mountinfo") as file:
        return file.read().splitlines()


class Deaths(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.stop)
        self.sessions = [self.daemon.session() for _ in range(2)]
        self.calls = [session.start("import subprocess; subprocess.Popen(['sleep', '1000'])\n" + LOOP)
                      for session in self.sessions]
        for call in self.calls:
            next(call)
        time.sleep(0.3)
        self.launcher = self.daemon.launcher_pid()
        self.below = descendants(self.launcher)
        self.assertGreaterEqual(len(self.below), 6, "init, worker and child of two sessions")

    def check_gone(self):
        self.assertTrue(await_true(lambda: not any(map(is_alive, self.below)), 5), self.below)
        # While the launcher lives, its own stage is mounted in its own namespace.
        own = mounts_of(self.launcher) if is_alive(self.launcher) else []
        self.assertEqual([line for line in all_mounts()
                          if self.daemon.folder in line and line not in own], [])

    def check_told(self, call):
        with self.assertRaises(grpc.RpcError) as caught:
            list(call)
        self.assertEqual(caught.exception.code(), UNAVAILABLE)

    def start_again(self):
        return Daemon(folder=self.daemon.folder, uid_base=self.daemon.uid_base)

    def test_daemon(self):
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.check_gone()
        self.assertTrue(await_true(lambda: not is_alive(self.launcher)))
        for call in self.calls:
            self.check_told(call)
        with self.assertRaises(grpc.RpcError) as caught:
            self.daemon.info()
        self.assertEqual(caught.exception.code(), UNAVAILABLE)
        self.assertTrue(os.path.exists(self.daemon.socket), "its socket is left, and in nobody's way")
        with self.start_again() as again:
            self.assertEqual(again.session().stdout("print(1)"), b"1\n")
            self.assertEqual(len(again.runs()), 1)

    def test_launcher(self):
        os.kill(self.launcher, signal.SIGKILL)
        self.check_gone()
        for call in self.calls:
            try:
                self.assertEqual(outcome(list(call)[-1].result), "INFRA")
            except grpc.RpcError as error:
                self.assertEqual(error.code(), UNAVAILABLE)
        self.assertEqual(self.daemon.process.wait(timeout=30), 3)
        self.assertEqual(len(self.daemon.runs()), 1, "what a killed launcher cannot remove")
        with self.start_again() as again:
            self.assertGreaterEqual(again.info().leftovers_removed, 1)
            self.assertEqual(len(again.runs()), 1)
            self.assertEqual(again.session().stdout("print(1)"), b"1\n")
        self.assertEqual(self.daemon.runs(), [])

    def test_daemon_and_launcher_at_once(self):
        os.kill(self.launcher, signal.SIGKILL)
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.check_gone()
        with self.start_again() as again:
            self.assertGreaterEqual(again.info().leftovers_removed, 1)
            self.assertEqual(len(again.runs()), 1)

    def test_init(self):
        for pid in children(self.launcher):
            os.kill(pid, signal.SIGKILL)
        self.check_gone()
        for session, call in zip(self.sessions, self.calls):
            self.assertEqual(outcome(list(call)[-1].result), "INFRA")
            for use in (lambda: session.run("1"), lambda: session.download(b"x"),
                        lambda: session.list()):
                with self.assertRaises(grpc.RpcError) as caught:
                    use()
                self.assertEqual(caught.exception.code(), UNAVAILABLE)
            receipt = session.delete()
            self.assertEqual(receipt.processes_left, 0)
            self.assertTrue(receipt.mounts_gone and receipt.uids_released)
        self.assertEqual(self.daemon.session().stdout("print(1)"), b"1\n")

    def workers(self):
        return [pid for init in children(self.launcher) for pid in children(init)
                if b"sleep" not in open(f"/proc/{pid}/cmdline", "rb").read()]

    def test_worker_in_a_cell(self):
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)
        for session, call in zip(self.sessions, self.calls):
            events = list(call)
            result = events[-1].result
            self.assertEqual((outcome(result), result.signal, result.state, result.epoch),
                             ("SIGNALED", 9, LOST, 2))
            told = [e.state for e in events if e.WhichOneof("event") == "state"]
            self.assertEqual([(t.kind, t.epoch) for t in told], [(cell_pb2.StateEvent.STATE_LOST, 2)])
            self.assertEqual(session.stdout("print(2)"), b"2\n")

    def test_idle_worker(self):
        for session, call in zip(self.sessions, self.calls):
            session.interrupt()
            list(call)
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)
        for session in self.sessions:
            self.assertTrue(await_true(
                lambda: session.refresh().state == runtime_pb2.INTERPRETER_LOST))
            self.assertEqual(session.refresh().epoch, 2)
            events = session.events("print(3)")
            self.assertEqual([e.state.epoch for e in events if e.WhichOneof("event") == "state"],
                             [2], "the next cell is told")
            self.assertEqual(events[-1].result.epoch, 2)
            self.assertEqual(session.refresh().epoch, 2)
            self.assertEqual(session.refresh().state, runtime_pb2.IDLE)


class AtAnyMoment(unittest.TestCase):
    """The victim dies while sessions are made, run, filled and deleted."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cellblock-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def busy(self, daemon, stopped):
        """Clients at work until their server goes away; anything but a told end is an error."""
        errors = []

        def work():
            while not stopped.is_set():
                try:
                    session = daemon.session(idempotency_key=new_id())
                    session.upload(b"x", b"x" * 100000)
                    session.run("open('y', 'w').write('y'); import subprocess\n"
                                "subprocess.Popen(['sleep', '1000'])")
                    session.delete()
                except grpc.RpcError as error:
                    if error.code() != UNAVAILABLE:
                        errors.append(error)
                    return
                except ValueError:  # the channel was closed
                    return

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        return threads, errors

    def check(self, victim):
        uid_base = None
        for moment in MOMENTS:
            with self.subTest(moment=moment):
                daemon = Daemon(folder=self.folder, uid_base=uid_base)
                uid_base = daemon.uid_base
                stopped = threading.Event()
                self.addCleanup(stopped.set)
                threads, errors = self.busy(daemon, stopped)
                time.sleep(moment)
                victim(daemon)
                if daemon.process.poll() is None:
                    daemon.process.wait(timeout=30)
                stopped.set()
                for thread in threads:
                    thread.join(30)
                daemon.close_channel()
                self.assertTrue(await_true(lambda: not daemon.left_over(folders_too=False), 5),
                                daemon.left_over())
                self.assertEqual(errors, [])
        with Daemon(folder=self.folder, uid_base=uid_base) as last:
            self.assertEqual(last.session().stdout("print(1)"), b"1\n")
            self.assertEqual(len(last.runs()), 1, "earlier runs are swept")
        self.assertEqual(last.left_over(), [])

    def test_daemon(self):
        self.check(lambda daemon: daemon.process.kill())

    def test_launcher(self):
        self.check(lambda daemon: os.kill(daemon.launcher_pid(), signal.SIGKILL))

    def test_during_the_start(self):
        uid_base = None
        for moment in (.005, .01, .02, .04, .08, .16):
            daemon = Daemon(folder=self.folder, uid_base=uid_base, wait=False)
            uid_base = daemon.uid_base
            time.sleep(moment)
            daemon.kill()
            self.assertTrue(await_true(lambda: not daemon.left_over(folders_too=False), 5),
                            daemon.left_over())
        with Daemon(folder=self.folder, uid_base=uid_base) as last:
            self.assertEqual(last.session().stdout("print(1)"), b"1\n")
            self.assertEqual(len(last.runs()), 1)


class SideBySide(unittest.TestCase):
    """Two daemons of one host: own state, one run folder and one uid range."""

    def test_a_live_run_is_never_touched(self):
        with Daemon() as live, tempfile.TemporaryDirectory(prefix="cellblock-e2e-") as folder:
            session = live.session()
            session.run("x = 1; open('kept', 'w').write('k')")
            call = session.start(LOOP, execution_id="loop")
            next(call)
            own = live.runs()
            self.assertEqual(len(own), 1)
            shared = {"folder": folder, "run_dir": live.run_dir, "uid_base": live.uid_base}
            other = Daemon(**shared)
            try:
                self.assertEqual(other.info().leftovers_removed, 0)
                sessions = [other.session() for _ in range(3)]
                inits = [pid for d in (live, other) for pid in children(d.launcher_pid())]
                uids = [os.stat(f"/proc/{pid}").st_uid for pid in inits]
                self.assertEqual(len(set(uids)), 4, "no two sessions share a uid")
                os.kill(other.launcher_pid(), signal.SIGKILL)
                other.process.wait(timeout=30)
            finally:
                other.kill()
            self.assertEqual(len(sessions), 3)
            self.assertEqual(len(live.runs()), 2)
            third = Daemon(**shared)
            try:
                self.assertGreaterEqual(third.info().leftovers_removed, 1)
                self.assertEqual(len(live.runs()), 2)
                self.assertIn(own[0], live.runs())
                self.assertEqual(third.session().stdout("print(3)"), b"3\n")
                session.interrupt("loop")
                self.assertEqual(outcome(list(call)[-1].result), "INTERRUPTED")
                self.assertEqual(session.stdout("print(x)"), b"1\n")
                self.assertEqual(session.download(b"kept"), b"k")
            finally:
                self.assertEqual(third.end(), 0)
            self.assertEqual(live.runs(), own)
            self.assertEqual(live.session().stdout("print(4)"), b"4\n")


if __name__ == "__main__":
    unittest.main()
