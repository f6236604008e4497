"""The worker as a peer of the daemon: frames good and bad, interrupts at any moment, lost sockets."""
import os
import random
import signal
import tempfile
import threading
import time
import unittest

from worker_process import Worker, WorkerGone, frame, wire

# How a cell finds the control socket, if it wants to do harm.
FIND_SOCKET = """
import os, stat, socket, struct
control = [int(fd) for fd in os.listdir("/proc/self/fd")
           if int(fd) > 2 and os.path.exists("/proc/self/fd/" + fd)
           and stat.S_ISSOCK(os.stat("/proc/self/fd/" + fd).st_mode)][0]
"""


class ProtocolTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.worker = Worker(self.folder.name)
        self.addCleanup(self.worker.close)

    def value(self, code):
        """The text of a cell's value; the cell must end well."""
        result = self.worker.run(code)
        self.assertEqual(result["result"]["outcome"], "OK", result)
        values = [e for e in result["events"] if e["type"] == "value"]
        return values[-1]["data"]["text/plain"].decode()

    def assert_alive(self):
        self.assertEqual(self.value("6 * 7"), "42")


class Frames(ProtocolTest):
    def test_ready_says_what_is_there(self):
        self.assertEqual(self.worker.ready["threads"], 1)
        self.assertRegex(self.worker.ready["python_version"], r"^3\.\d+\.\d+")
        self.assertRegex(self.worker.ready["ipython_version"], r"^\d+\.")

    def test_code_of_several_frames(self):
        code = "x = '''" + "y" * 300_000 + "'''\nlen(x)"
        self.assertEqual(self.value(code), "300000")

    def test_rubbish_is_ignored(self):
        send = self.worker.control.send
        run = wire.encode(wire.RUN_CELL, {"code": b"raise SystemExit(9)"})
        send(b"short")
        send(b"\0" * frame.HEADER_SIZE)
        send(next(frame.split(frame.RUN_CELL, 999, 5, run)))  # a stale incarnation
        send(next(frame.split(77, self.worker.incarnation, 5, b"")))
        send(next(frame.split(frame.RUN_CELL, self.worker.incarnation, 5, b"\xff\xff\xff")))
        send(next(frame.split(frame.DONE, self.worker.incarnation, 5, b"")))
        self.assert_alive()
        self.assertEqual(self.worker.dropped, 0)

    def test_an_answer_nobody_waits_for_is_ignored(self):
        self.worker.send(frame.INPUT_REPLY, {"text": b"late"}, wire.INPUT_REPLY, 1000)
        self.assert_alive()
        result = self.worker.run("input('?')", inputs=["now"])
        self.assertEqual(result["events"][-1]["data"]["text/plain"], b"'now'")

    def test_forged_frames_are_not_the_cells_result(self):
        result = self.worker.run(FIND_SOCKET + """
done = struct.pack("<HHIQ", 22, 0, 7, 1) + bytes([8, 4])
os.write(control, done)                       # another cell's number
os.write(control, struct.pack("<HHIQ", 22, 0, 6, 1001) + bytes([8, 4]))  # another incarnation
os.write(control, b"rubbish")
os.write(control, struct.pack("<HHIQ", 500, 0, 7, 1001))
for fd in range(3, 40):
    try: os.write(fd, done)
    except OSError: pass
"the true value"
""")
        self.assertEqual(result["result"]["outcome"], "OK")
        self.assertEqual(result["events"][-1]["data"]["text/plain"], b"'the true value'")
        self.assertGreaterEqual(self.worker.dropped, 4)
        self.assert_alive()

    def test_big_displays_arrive_whole(self):
        result = self.worker.run(
            "for i in range(5):\n"
            "    display({'text/plain': str(i), 'text/html': 'z' * 900_000}, raw=True)"
        )
        sizes = [len(e["data"]["text/html"]) for e in result["events"] if e["type"] == "display"]
        self.assertEqual(sizes, [900_000] * 5)

    def test_displays_of_threads_do_not_mix(self):
        result = self.worker.run("""
import threading
def show(n):
    for _ in range(10):
        display({"text/plain": str(n), "text/html": str(n) * 200_000}, raw=True)
threads = [threading.Thread(target=show, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
""")
        shown = [e["data"] for e in result["events"] if e["type"] == "display"]
        self.assertEqual(len(shown), 40)
        for data in shown:
            self.assertEqual(data["text/html"], data["text/plain"] * 200_000)


class Ends(ProtocolTest):
    def test_end_of_the_socket_ends_the_worker(self):
        self.worker.control.close()
        self.assertEqual(self.worker.process.wait(10), 0)

    def test_end_of_the_socket_while_waiting_for_input(self):
        self.worker.send(
            frame.RUN_CELL, {"code": b"input()", "offer_input": True}, wire.RUN_CELL, 5
        )
        while self.worker.next_message()[0] != frame.INPUT_REQUEST:
            pass
        self.worker.control.close()
        self.assertEqual(self.worker.process.wait(10), 0)

    def test_a_closed_control_socket_is_death(self):
        for harm in ("os.close(control)", "os.closerange(3, 4096)",
                     "os.dup2(os.open('/dev/zero', os.O_RDWR), control)",
                     "os.dup2(os.pipe()[0], control)",
                     "s = socket.socket()\nos.dup2(s.fileno(), control)"):
            with self.subTest(harm), Worker(self.folder.name) as worker:
                result = worker.run(FIND_SOCKET + harm, timeout=20)
                self.assertEqual(result["result"]["outcome"], "EXITED")
                self.assertEqual(result["result"]["exit_status"], 70)

    def test_children_have_no_control_socket(self):
        self.assertEqual(
            self.value("""
import subprocess
subprocess.check_output("ls -l /proc/self/fd | grep -c socket || true", shell=True)
"""),
            "b'0\\n'",
        )
        self.assertEqual(
            self.value(FIND_SOCKET + """
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    sockets = [fd for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)
               and stat.S_ISSOCK(os.stat("/proc/self/fd/" + fd).st_mode)]
    os.write(write, str(len(sockets)).encode())
    os._exit(0)
os.waitpid(pid, 0)
os.read(read, 10)
"""),
            "b'0'",
        )

    def test_a_child_that_outlives_its_cell_holds_nothing_up(self):
        self.worker.run("""
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(30)
    print("child")
""")
        started = time.monotonic()
        self.assert_alive()
        self.assertLess(time.monotonic() - started, 5)


class Interrupts(ProtocolTest):
    def test_interrupts_of_an_idle_worker_do_nothing(self):
        for _ in range(50):
            self.worker.interrupt()
        time.sleep(0.1)
        self.assert_alive()
        self.assertEqual(self.value("import time; time.sleep(0.2); 'slept'"), "'slept'")

    def test_an_interrupt_right_behind_the_cell_is_not_lost(self):
        for round_ in range(60):
            request = {"code": b"while True:\n    pass"}
            self.worker.send(frame.RUN_CELL, request, wire.RUN_CELL, 50 + round_)
            for _ in range(round_ * 40):
                pass
            self.worker.interrupt()
            while True:
                message = self.worker.next_message(20)
                self.assertIsNotNone(message, "the interrupt was lost in round %d" % round_)
                if message[0] == frame.DONE:
                    break
            self.assertEqual(message[2]["status"], wire.STATUS_INTERRUPTED)
        self.assert_alive()

    def test_interrupts_at_any_moment(self):
        self.worker.run("counter = 0")
        stop = threading.Event()

        def storm():
            chance = random.Random(4)
            while not stop.is_set():
                self.worker.interrupt()
                time.sleep(chance.random() * 0.006)

        thread = threading.Thread(target=storm)
        thread.start()
        codes = [
            "1 + 1",
            "counter += 1",
            "1 / 0",
            "display({'text/plain': 'p', 'text/html': 'h' * 400_000}, raw=True)",
            "print('x' * 1000)",
            "%time 1",
            "import asyncio\nawait asyncio.sleep(0.001)",
            "try:\n    sum(range(50_000))\nexcept KeyboardInterrupt:\n    pass",
            "x = = 1",
        ]
        outcomes = set()
        try:
            for i in range(450):
                result = self.worker.run(codes[i % len(codes)], timeout=30)
                outcomes.add(result["result"]["outcome"])
                self.assertEqual(result["result"]["state"], "PRESERVED")
                displays = [e for e in result["events"] if e["type"] == "display"]
                self.assertTrue(all(len(e["data"]["text/html"]) == 400_000 for e in displays))
        finally:
            stop.set()
            thread.join()
        self.assertLessEqual({"OK", "INTERRUPTED"}, outcomes)
        self.assertEqual(self.worker.dropped, 0)
        self.assert_alive()

    def test_interrupts_while_waiting_for_input(self):
        self.worker.send(
            frame.RUN_CELL, {"code": b"input()", "offer_input": True}, wire.RUN_CELL, 5
        )
        while self.worker.next_message()[0] != frame.INPUT_REQUEST:
            pass
        self.worker.interrupt()
        kinds = [self.worker.next_message()[0], self.worker.next_message()]
        self.assertEqual(kinds[0], frame.ERROR)
        self.assertEqual(kinds[1][2]["status"], wire.STATUS_INTERRUPTED)
        self.worker.send(frame.INPUT_REPLY, {"text": b"too late"}, wire.INPUT_REPLY, 5)
        self.assert_alive()

    def test_other_signals_of_the_users_own_while_idle(self):
        self.worker.run("""
import signal
def alarm(*_): raise TimeoutError("alarm")
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.05)
""")
        time.sleep(0.5)
        self.worker.run("signal.setitimer(signal.ITIMER_REAL, 0)")
        self.assert_alive()

    def test_a_cell_that_swallows_interrupts_can_be_killed(self):
        code = b"import time\nwhile True:\n  try: time.sleep(60)\n  except KeyboardInterrupt: pass"
        request = {"code": code}
        self.worker.send(frame.RUN_CELL, request, wire.RUN_CELL, 5)
        for _ in range(5):
            time.sleep(0.1)
            self.worker.interrupt()
        self.assertIsNone(self.worker.next_message(0.3))
        os.kill(self.worker.process.pid, signal.SIGKILL)
        with self.assertRaises(WorkerGone):
            self.worker.next_message(10)


if __name__ == "__main__":
    unittest.main()
