"""Floods, odd bytes, and output that comes when it should not."""
import shutil
import tempfile
import time
import unittest

from faults import (Daemon, DaemonTest, LOST, SessionTest, cell_pb2, later, outcome,
                    processes_inside, text_of, tightened_policy)

GIB = 1 << 30


def gaps(events):
    return sum(event.gap.bytes for event in events if event.WhichOneof("event") == "gap")


def output(events):
    return [event.output.data for event in events if event.WhichOneof("event") == "output"]


class Floods(SessionTest):
    def test_a_gibibyte_keeps_head_and_tail_and_memory_flat(self):
        for descriptor in (1, 2):
            with self.subTest(descriptor=descriptor):
                self.session.run("1")
                self.daemon.reset_peak()
                before = self.daemon.resident_bytes()
                events = []
                # Read as they come, and only counted: what is measured is the daemon.
                for event in self.session.start(
                        "import os\nblock = b'x' * (1 << 20)\n"
                        f"os.write({descriptor}, b'first')\n"
                        f"for i in range(1024): os.write({descriptor}, block)\n"
                        f"_ = os.write({descriptor}, b'last')"):
                    events.append(event)
                result = events[-1].result
                self.assert_outcome(result, "OK")
                total = GIB + len("firstlast")
                self.assertEqual(result.usage.stdout_bytes + result.usage.stderr_bytes, total)
                kept = output(events)
                self.assertTrue(kept[0].startswith(b"first"))
                self.assertTrue(kept[-1].endswith(b"last"))
                self.assertEqual(sum(map(len, kept)) + gaps(events), total)
                self.assertLess(sum(map(len, kept)), 32 << 20)
                self.assertEqual([e.limit for e in result.limit_events], ["output"])
                self.assertLess(self.daemon.peak_resident_bytes() - before, 100 << 20)

    def test_python_prints_a_lot(self):
        events = self.session.events("for i in range(1000000): print('line', i)")
        self.assert_outcome(events[-1].result, "OK")
        text = b"".join(output(events))
        self.assertTrue(text.startswith(b"line 0\nline 1\n"))
        self.assertTrue(text.endswith(b"line 999999\n"))
        self.assertEqual(len(text) + gaps(events), events[-1].result.usage.stdout_bytes)

    def test_one_line_of_100_mib(self):
        began = time.monotonic()
        events = self.session.events("print('x' * (100 << 20))")
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(events[-1].result.usage.stdout_bytes, (100 << 20) + 1)
        self.assertEqual(set(b"".join(output(events))), set(b"x\n"))
        self.check_usable()

    def test_a_child_floods(self):
        events = self.session.events("import subprocess\nsubprocess.run("
                                     "['head', '-c', str(256 << 20), '/dev/zero'])")
        self.assertEqual(events[-1].result.usage.stdout_bytes, 256 << 20)
        self.check_usable()

    def test_endless_floods_end_at_the_time_limit(self):
        for code in ("while True: print('A' * 1000)", "import os\nwhile True: os.write(2, b'B' * 65536)",
                     "while True: display(1)"):
            with self.subTest(code=code):
                result = self.session.run(code, timeout={"seconds": 1})
                self.assertIn(outcome(result), ("TIMEOUT_WALL", "OUTPUT_LIMIT"), result)
                self.check_usable()

    def test_a_hundred_thousand_displays_are_bounded(self):
        events = self.session.events("for i in range(20000): display(i)")
        self.assert_outcome(events[-1].result, "OK")
        shown = [e for e in events if e.WhichOneof("event") == "display"]
        self.assertEqual(len(shown), 1000, "as many as the policy gives")
        self.assertIn("frames", [e.limit for e in events[-1].result.limit_events])
        self.check_usable()

    def test_a_value_whose_text_is_huge(self):
        self.daemon.reset_peak()
        before = self.daemon.resident_bytes()
        self.assertEqual(self.session.outcome("'y' * 100_000_000"), "OK")
        self.assertLess(self.daemon.peak_resident_bytes() - before, 128 << 20)
        self.check_usable()

    def test_a_slow_reader_holds_nobody_else(self):
        slow = self.session.start("for i in range(300000): print('x' * 50)")
        next(slow)
        other = self.new_session()
        began = time.monotonic()
        self.assert_usable(other)
        self.assertLess(time.monotonic() - began, 10)
        before = self.daemon.resident_bytes()
        time.sleep(1)
        self.assertLess(self.daemon.resident_bytes() - before, 64 << 20)
        self.assert_outcome(list(slow)[-1].result, "OK")

    def test_a_reader_that_stops_for_good(self):
        call = self.session.start("import os\nfor i in range(64): os.write(1, b'x' * (1 << 20))")
        next(call)
        self.assertTrue(later(0, lambda: None))
        deadline = time.monotonic() + 20
        while self.session.refresh().running_execution_id and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.session.refresh().running_execution_id, "",
                         "the cell ends without its reader")
        self.check_usable()
        call.cancel()


class OutputLimit(DaemonTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="cellblock-policy-")
        cls.addClassCleanup(shutil.rmtree, folder)
        tightened_policy(folder, max_total_bytes=1 << 20, keep_head_bytes=1000,
                         keep_tail_bytes=100)
        cls.daemon = Daemon(f'policy_dir: "{folder}"')
        cls.addClassCleanup(cls.daemon.stop)

    def test_beyond_the_limit_the_cell_is_ended(self):
        session = self.new_session()
        events = session.events("import os\nwhile True: os.write(1, b'x' * 65536)",
                                timeout={"seconds": 30})
        self.assert_outcome(events[-1].result, "OUTPUT_LIMIT", LOST)
        self.assertEqual(sum(map(len, output(events))), 1100)
        self.assert_usable(session)

    def test_head_and_tail_are_shared_by_both_streams(self):
        session = self.new_session()
        events = session.events("import os\nfor i in range(100): os.write(1, b'o' * 100); "
                                "os.write(2, b'e' * 100)")
        result = events[-1].result
        self.assertEqual((result.usage.stdout_bytes, result.usage.stderr_bytes), (10000, 10000))
        self.assertEqual(sum(map(len, output(events))) + gaps(events), 20000)
        self.assertLessEqual(sum(map(len, output(events))), 1000 + 2 * 100)
        self.assertGreaterEqual(len(text_of(events, cell_pb2.STDERR)), 100)


class Bytes(SessionTest):
    def test_any_byte_passes_on_both_streams(self):
        data = bytes(range(256)) + b"\xff\xfe\0\xed\xa0\x80\xf5\x90\x80\x80"
        events = self.session.events(f"import os\nos.write(1, {data!r}); _ = os.write(2, {data!r})")
        self.assertEqual(text_of(events), data)
        self.assertEqual(text_of(events, cell_pb2.STDERR), data)

    def test_text_that_is_no_text(self):
        result = self.session.run("print('\\ud800')")
        self.assertIn(outcome(result), ("OK", "EXCEPTION"))
        result = self.session.run("raise Exception('c\\0d\\ud800' * 10)")
        self.assert_outcome(result, "EXCEPTION")
        self.assertIn("c\0d", result.error.value)
        result = self.session.run("class E(Exception):\n    def __str__(self): raise KeyError\n"
                                  "raise E")
        self.assertEqual(result.error.name, "E")
        events = self.session.events("class R:\n    def __repr__(self): return 'a\\0\\ud800b'\nR()")
        self.assert_outcome(events[-1].result, "OK")
        self.check_usable()

    def test_text_that_looks_like_the_protocol_is_only_text(self):
        text = '\\x1eEND\\x1e {"event":"result","outcome":"OK"} <<RESULT>>42'
        result = self.session.run(f"print('''{text}'''); raise ValueError('real')")
        self.assertEqual((outcome(result), result.error.value), ("EXCEPTION", "real"))

    def test_terminal_sequences_come_unchanged(self):
        text = b"\x1b]0;owned\x07\x1b[2J\x1b]52;c;aGk=\x07\x1b[6n"
        self.assertEqual(self.session.stdout(f"import os; _ = os.write(1, {text!r})"), text)


class AfterTheCell(SessionTest):
    def test_a_thread_that_prints_later_is_nobodys_output(self):
        self.session.run("import threading, time\n"
                         "threading.Thread(target=lambda: (time.sleep(.5), print('late'))).start()")
        time.sleep(1)
        events = self.session.events("print('now')")
        self.assertEqual(text_of(events, late=True), b"late\n")
        self.assertEqual(text_of(events), b"now\n")
        self.assertEqual(events[-1].result.usage.stdout_bytes, 4)

    def test_a_child_that_holds_stdout_does_not_hold_the_cell(self):
        began = time.monotonic()
        self.assertEqual(self.session.outcome(
            "import subprocess\np = subprocess.Popen(['sleep', '1000'])"), "OK")
        self.assertLess(time.monotonic() - began, 5)
        self.check_usable()

    def test_a_flood_between_cells(self):
        self.session.run("import subprocess\np = subprocess.Popen(['cat', '/dev/zero'])")
        time.sleep(0.5)
        before = self.daemon.resident_bytes()
        time.sleep(1)
        self.assertLess(self.daemon.resident_bytes() - before, 16 << 20)
        self.assertEqual(self.session.outcome("p.kill(); p.wait()"), "OK")
        self.check_usable()

    def test_double_forked_survivors(self):
        began = time.monotonic()
        self.assertEqual(self.session.outcome(
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            "        time.sleep(1000)\n    os._exit(0)\n_ = os.wait()"), "OK")
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(processes_inside(self.session), 3)
        # They go with the interpreter at the latest ...
        self.session.run("import os; os._exit(0)")
        self.assertEqual(processes_inside(self.session), 2)
        # ... and the dead are reaped.
        self.session.run("import os\nfor i in range(50):\n    if os.fork() == 0:\n"
                         "        os.fork(); os._exit(0)\n    os.wait()")
        time.sleep(0.3)
        self.assertEqual(processes_inside(self.session), 2)


if __name__ == "__main__":
    unittest.main()
