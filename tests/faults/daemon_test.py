"""The daemon's own life: where it may start, what a full disk or too few descriptors do to it, and
how it goes."""
import os
import shutil
import signal
import stat
import tempfile
import time
import unittest

import grpc

from faults import Daemon, LOST, PRESERVED, await_true, error_info, outcome, runtime_pb2

LOOP = "import time\nwhile True: time.sleep(.1)"
STUBBORN = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)"
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


class Start(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cellblock-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def check_refused(self, *words, beside=None, **options):
        """It does not start, says why, and leaves nothing; `beside` lives with the same uids."""
        if beside is not None:
            options["uid_base"] = beside.uid_base
        others = beside.own_processes() if beside is not None else []
        daemon = Daemon(folder=self.folder, wait=False, **options)
        try:
            self.assertEqual(daemon.process.wait(timeout=30), 1)
            for word in words:
                self.assertIn(word, daemon.log_text())
            self.assertTrue(await_true(lambda: set(daemon.own_processes()) <= set(others)))
            self.assertTrue(await_true(lambda: not daemon.runs()), daemon.runs())
        finally:
            daemon.kill()

    def test_a_state_folder_in_use(self):
        with Daemon() as first:
            self.check_refused(first.state_dir, "another cellblockd", beside=first,
                               state_dir=first.state_dir)
            self.assertEqual(first.session().stdout("print(1)"), b"1\n")

    def test_a_socket_in_use(self):
        with Daemon() as first:
            self.check_refused(first.socket, "another daemon serves it", beside=first,
                               socket=first.socket)
            self.assertEqual(first.session().stdout("print(1)"), b"1\n")

    def test_a_stale_socket_is_replaced(self):
        first = Daemon(folder=self.folder)
        first.kill()
        self.assertTrue(stat.S_ISSOCK(os.stat(first.socket).st_mode))
        with Daemon(folder=self.folder, uid_base=first.uid_base) as second:
            self.assertEqual(second.session().stdout("print(1)"), b"1\n")

    def test_a_file_where_the_socket_should_be(self):
        first = Daemon(folder=self.folder)
        self.assertEqual(first.end(), 0)
        with open(first.socket, "w") as file:
            file.write("precious")
        self.check_refused(first.socket, "not a socket", uid_base=first.uid_base)
        with open(first.socket) as file:
            self.assertEqual(file.read(), "precious")

    def test_a_socket_path_that_is_too_long(self):
        self.check_refused("too long", socket=os.path.join(self.folder, "s" * 200))

    def test_a_state_folder_of_somebody_else(self):
        state = os.path.join(self.folder, "state")
        os.mkdir(state, 0o755)
        with open(os.path.join(state, "file"), "w") as file:
            file.write("precious")
        self.check_refused(state, "belongs to uid")
        self.assertEqual(os.listdir(state), ["file"])

    def test_bad_configurations(self):
        for config, words in (('no_such_field: 1', ("no_such_field",)),
                              ('max_sessions: -1', ("max_sessions",)),
                              ('default_idle_ttl { seconds: -5 }', ("default_idle_ttl",)),
                              ('policy_dir: "/nonexistent"', ("/nonexistent",)),
                              ('default_policy: "missing"', ("missing",)),
                              ('launcher_path: "/nonexistent"', ("/nonexistent",)),
                              ('user: "no-such-user"', ("no-such-user",)),
                              ('launcher {', ("config",))):
            with self.subTest(config=config):
                self.check_refused(*words, config=config)

    def test_a_broken_policy_stops_the_start(self):
        policies = os.path.join(self.folder, "policies")
        os.mkdir(policies)
        for text in ("name: 'x'\nsyscalls { rules { calls: 'no_such_call' reason: 'r' } }",
                     "name: 'x'\nsyscalls { rules { calls: 'read' } }", "not text format {{{"):
            with self.subTest(text=text):
                with open(os.path.join(policies, "python.textproto"), "w") as file:
                    file.write(text)
                self.check_refused("python.textproto", config=f'policy_dir: "{policies}"')


class FullDisk(unittest.TestCase):
    """The state folder on a tmpfs of a few pages, in a mount namespace of its own."""

    def start(self, folder, size, **options):
        state = os.path.join(folder, "state")
        script = (f'mkdir -p "{state}" && mount -t tmpfs -o size={size},mode=700 none "{state}" '
                  '&& exec "$@"')
        return Daemon(folder=folder, state_dir=state, command=(
            "unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"), **options)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cellblock-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def fill(self, daemon):
        """Leaves no byte and no inode."""
        state = f"/proc/{daemon.process.pid}/root{daemon.state_dir}"
        count = 0
        try:
            while count < 100000:
                with open(os.path.join(state, f"filler{count}"), "wb") as file:
                    count += 1
                    file.write(b"x" * (1 << 20))
        except OSError as error:
            self.assertEqual(error.errno, 28)
        with self.assertRaises(OSError), open(os.path.join(state, "one-more"), "wb") as file:
            file.write(b"x" * 8192)
        return state

    def check_works(self, daemon):
        session = daemon.session()
        session.upload(b"x", b"x" * (4 << 20))
        self.assertEqual(session.outcome("import matplotlib.pyplot as p; p.plot([1, 2]); "
                                         "print('x' * 10**6); open('y', 'wb').write(b'y' * 10**7)"),
                         "OK")
        self.assertEqual(len(session.download(b"y")), 10**7)
        self.assertEqual(session.delete().processes_left, 0)

    def test_filled_while_running(self):
        daemon = self.start(self.folder, "64k")
        try:
            session = daemon.session()
            session.run("x = 1")
            state = self.fill(daemon)
            self.assertEqual(session.stdout("print(x)"), b"1\n")
            self.check_works(daemon)
            for name in os.listdir(state):
                if name.startswith(("filler", "one-more")):
                    os.remove(os.path.join(state, name))
            self.check_works(daemon)
        finally:
            self.assertEqual(daemon.end(), 0)
        self.assertTrue(await_true(lambda: not daemon.left_over()), daemon.left_over())

    def test_too_small_for_the_caches(self):
        # They are left out, and the daemon says so; it serves.
        daemon = self.start(self.folder, "12k", image_cache=True)
        try:
            self.check_works(daemon)
            self.assertTrue(await_true(lambda: "startup_incomplete" in daemon.log_text(), 60),
                            daemon.log_text())
            self.check_works(daemon)
        finally:
            self.assertEqual(daemon.end(), 0)

    def test_too_small_for_anything(self):
        # No room even for the lock's content: refused with a reason, or it serves; it does not
        # hang or die otherwise.
        try:
            daemon = self.start(self.folder, "4k,nr_inodes=1")
        except AssertionError as error:
            self.assertIn("could_not_start", str(error))
            self.assertRegex(str(error), "No space left|ENOSPC|lock")
            return
        try:
            self.check_works(daemon)
        finally:
            self.assertEqual(daemon.end(), 0)


class FewDescriptors(unittest.TestCase):
    def test_errors_to_callers_and_recovery(self):
        with Daemon(command=("prlimit", "--nofile=256:256")) as daemon:
            sessions, error = [], None
            try:
                for _ in range(120):
                    sessions.append(daemon.session())
            except grpc.RpcError as caught:
                error = caught
            self.assertIsNotNone(error, "256 descriptors are not enough for 120 sessions")
            self.assertGreater(len(sessions), 2)
            self.assertIn(error.code(), (grpc.StatusCode.RESOURCE_EXHAUSTED, UNAVAILABLE,
                                         grpc.StatusCode.INTERNAL), error)
            self.assertIsNotNone(error_info(error))
            for session in sessions[:3]:
                self.assertEqual(session.delete().processes_left, 0)
            for session in sessions[3:]:
                self.assertEqual(session.stdout("print(1)"), b"1\n")
            self.assertEqual(daemon.session().stdout("print(2)"), b"2\n")


class Stop(unittest.TestCase):
    def check_ended(self, daemon, status=0):
        self.assertEqual(daemon.process.wait(timeout=40), status)
        daemon.close_channel()
        self.assertTrue(await_true(lambda: not daemon.left_over()), daemon.left_over())
        self.assertFalse(os.path.exists(daemon.socket))

    def test_a_running_cell_may_finish_and_nothing_new_begins(self):
        with Daemon() as daemon:
            busy, idle = daemon.session(), daemon.session()
            call = busy.start("import time; time.sleep(3); print('done')")
            next(call)
            daemon.process.terminate()
            self.assertTrue(await_true(lambda: "stopping" in daemon.log_text()))
            for use in (daemon.session, lambda: idle.run("1")):
                with self.assertRaises(grpc.RpcError) as caught:
                    use()
                self.assertEqual(caught.exception.code(), UNAVAILABLE)
                info = error_info(caught.exception)
                self.assertEqual((info.reason, info.retryable), ("DRAINING", True))
            events = list(call)
            self.assertEqual(outcome(events[-1].result), "OK")
            self.check_ended(daemon)

    def test_cells_beyond_the_deadline_are_cancelled_then_killed(self):
        for code, state in ((LOOP, PRESERVED), (STUBBORN, LOST)):
            with self.subTest(code=code), Daemon("drain_deadline { seconds: 1 }") as daemon:
                call = daemon.session().start(code)
                next(call)
                time.sleep(0.3)
                daemon.process.terminate()
                result = list(call)[-1].result
                self.assertEqual((outcome(result), result.state), ("INTERRUPTED", state))
                self.check_ended(daemon)

    def test_a_second_signal_cuts_it_short(self):
        with Daemon() as daemon:
            call = daemon.session().start(STUBBORN)
            next(call)
            daemon.process.terminate()
            time.sleep(0.5)
            began = time.monotonic()
            daemon.process.terminate()
            self.check_ended(daemon)
            self.assertLess(time.monotonic() - began, 15)

    def test_sigint_is_the_same(self):
        with Daemon() as daemon:
            daemon.session().run("1")
            daemon.process.send_signal(signal.SIGINT)
            self.check_ended(daemon)

    def test_signals_before_it_serves(self):
        for moment in (.01, .05, .1):
            daemon = Daemon(wait=False)
            self.addCleanup(shutil.rmtree, daemon.folder, ignore_errors=True)
            time.sleep(moment)
            daemon.process.terminate()
            self.assertIn(daemon.process.wait(timeout=30), (0, 1, -signal.SIGTERM))
            self.assertTrue(await_true(lambda: not daemon.left_over(folders_too=False)),
                            daemon.left_over())

    def test_a_stream_that_nobody_reads_does_not_hold_it(self):
        with Daemon("drain_deadline { seconds: 1 }") as daemon:
            session = daemon.session()
            call = session.start("import os\nfor i in range(64): os.write(1, b'x' * (1 << 20))")
            next(call)
            daemon.stub.ListSessions(runtime_pb2.ListSessionsRequest())
            daemon.process.terminate()
            self.assertEqual(daemon.process.wait(timeout=40), 0)


if __name__ == "__main__":
    unittest.main()
