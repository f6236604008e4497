"""How cells end that do not end well: the outcome, what is left of the state, and the next cell."""
import shutil
import signal
import tempfile
import time
import unittest

from faults import Daemon, DaemonTest, LOST, PRESERVED, SessionTest, outcome, tightened_policy

HOLD = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


class Endings(SessionTest):
    def check(self, code, name, state, **fields):
        before = self.session.refresh().epoch
        self.session.run("y = 7; open('kept', 'w').write('k')")
        result = self.session.run(code)
        self.assert_outcome(result, name, state)
        for field, value in fields.items():
            self.assertEqual(getattr(result, field), value, result)
        self.assertTrue(result.message)
        self.assertEqual(result.epoch, before + (state == LOST))
        self.assertEqual(self.session.stdout("print(globals().get('y'), open('kept').read())"),
                         b"7 k\n" if state == PRESERVED else b"None k\n")
        self.assertEqual(self.session.refresh().epoch, result.epoch)
        return result

    def test_syntax_errors(self):
        for code, line in (("x = (", 1), ("a = 1\nb = = 2", 2), ("def f(:\n  pass", 1),
                           ("if True:\npass", 2), ("\tx\n  y", 2), ("return 1", 1),
                           ("print 'old'", 1), ("f(**)", 1), ("'unclosed", 1)):
            with self.subTest(code=code):
                result = self.check(code, "EXCEPTION", PRESERVED)
                self.assertIn(result.error.name, ("SyntaxError", "IndentationError", "TabError"))
                self.assertEqual(result.error.line, line)

    def test_nothing_of_a_cell_with_a_syntax_error_runs(self):
        self.session.run("ran = 0")
        self.session.run("ran = 1\nx = (")
        self.assertEqual(self.session.stdout("print(ran)"), b"0\n")

    def test_os_exit(self):
        for status in (0, 3, 255):
            self.check(f"import os; os._exit({status})", "EXITED", LOST, exit_status=status)

    def test_sys_exit(self):
        for code, status in (("sys.exit(4)", 4), ("sys.exit()", 0), ("sys.exit('why')", 1),
                             ("raise SystemExit(5)", 5), ("exit(6)", 6)):
            self.check("import sys\n" + code, "EXITED", PRESERVED, exit_status=status)

    def test_exec_of_another_program(self):
        self.check("import os; os.execv('/bin/true', ['true'])", "EXITED", LOST, exit_status=0)

    def test_signals(self):
        for code, number in (("import ctypes; ctypes.string_at(0)", signal.SIGSEGV),
                             ("import os; os.abort()", signal.SIGABRT),
                             ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
                              signal.SIGKILL),
                             ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
                              signal.SIGTERM)):
            self.check(code, "SIGNALED", LOST, signal=number)
        self.assertEqual([i.path for i in self.session.list()], [b"kept"], "no core file")

    def test_death_is_told_at_once(self):
        began = time.monotonic()
        self.session.run("import ctypes; ctypes.string_at(0)")
        self.assertLess(time.monotonic() - began, 3)

    def test_deep_recursion(self):
        result = self.check("def f(n): return f(n + 1)\nf(0)", "EXCEPTION", PRESERVED)
        self.assertEqual(result.error.name, "RecursionError")
        self.assertLess(len(result.error.frames), 1000)

    def test_deep_recursion_in_c(self):
        # Not caught by the interpreter: the C stack ends.
        result = self.session.run(
            "import sys\nsys.setrecursionlimit(10**9)\nx = []\nfor i in range(10**6): x = [x]\nrepr(x)")
        self.assertIn(outcome(result), ("EXCEPTION", "SIGNALED"), result)
        self.check_usable()

    def test_a_stopped_interpreter(self):
        result = self.session.run("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
                                  timeout={"seconds": 1})
        self.assert_outcome(result, "TIMEOUT_WALL", LOST)
        self.check_usable()

    def test_signals_to_init_do_nothing(self):
        self.assertEqual(self.session.outcome(
            "import os, signal\nfor number in range(1, 65):\n"
            "    if number != signal.SIGCHLD:\n"
            "        try: os.kill(1, number)\n        except OSError: pass"), "OK")
        self.assertEqual(self.session.refresh().epoch, 1)
        self.check_usable()

    def test_a_base_exception_of_its_own(self):
        result = self.check("class Odd(BaseException): pass\nraise Odd('x')", "EXCEPTION", PRESERVED)
        self.assertEqual((result.error.name, result.error.value), ("Odd", "x"))


class EndlessLoops(SessionTest):
    """The time limit ends every loop: by the interrupt if it can be interrupted, else by a kill."""

    def check(self, code, states):
        began = time.monotonic()
        result = self.session.run(code, timeout={"seconds": 1})
        self.assert_outcome(result, "TIMEOUT_WALL")
        self.assertIn(result.state, states, result)
        self.assertLess(time.monotonic() - began, 15)
        self.check_usable()

    def test_plain(self):
        self.check("while True: pass", (PRESERVED,))

    def test_asleep(self):
        self.check("import time\nwhile True: time.sleep(100)", (PRESERVED,))

    def test_async(self):
        self.check("import asyncio\nwhile True: await asyncio.sleep(1)", (PRESERVED,))

    def test_waiting_for_a_child(self):
        self.check("import subprocess\nsubprocess.run(['sleep', '1000'])", (PRESERVED,))

    def test_waiting_for_a_thread(self):
        self.check("import threading\nthreading.Event().wait()", (PRESERVED,))

    def test_ignoring_the_signal(self):
        self.check(HOLD + "while True: time.sleep(1)", (LOST,))

    def test_blocking_the_signal(self):
        self.check("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
                   "while True: pass", (LOST,))

    def test_swallowing_the_exception(self):
        self.check("while True:\n    try:\n        while True: pass\n    except BaseException: pass",
                   (PRESERVED, LOST))

    def test_an_exception_handler_that_loops(self):
        self.check("try:\n    while True: pass\nfinally:\n    while True: pass", (PRESERVED, LOST))

    def test_holding_the_lock_in_a_regular_expression(self):
        self.check("import re\nre.match(r'(a|aa)+$', 'a' * 60 + 'b')", (PRESERVED, LOST))

    def test_holding_the_lock_in_c(self):
        self.check("sum(range(10**13))", (LOST,))

    def test_holding_the_lock_in_a_sort(self):
        self.check("x = list(range(10**6)) * 4\nwhile True: sorted(x, key=lambda v: v * 7919 % 10007)",
                   (PRESERVED, LOST))

    def test_threads_that_spin(self):
        self.check("import threading\nfor i in range(8):\n    threading.Thread(target=exec, "
                   "args=('while True: pass',), daemon=True).start()\nwhile True: pass",
                   (PRESERVED, LOST))
        self.session.kill()

    def test_children_that_spin(self):
        self.check("import os\nfor i in range(8):\n    if os.fork() == 0:\n"
                   "        while True: pass\nwhile True: pass", (PRESERVED, LOST))
        self.session.kill()


class CpuLimit(DaemonTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="cellblock-policy-")
        cls.addClassCleanup(shutil.rmtree, folder)
        tightened_policy(folder, max_cell_cpu="{ seconds: 1 }")
        cls.daemon = Daemon(f'policy_dir: "{folder}"')
        cls.addClassCleanup(cls.daemon.stop)

    def test_cpu_time_is_limited_and_sleep_is_not(self):
        session = self.new_session()
        self.assertEqual(session.outcome("import time; time.sleep(2)"), "OK")
        result = session.run("while True: pass", timeout={"seconds": 30})
        self.assert_outcome(result, "TIMEOUT_CPU", PRESERVED)
        self.assertGreaterEqual(result.usage.cpu.seconds, 1)
        result = session.run("import os, time\nfor i in range(2):\n    if os.fork() == 0:\n"
                             "        while True: pass\ntime.sleep(60)", timeout={"seconds": 30})
        self.assert_outcome(result, "TIMEOUT_CPU")
        self.assert_usable(session)


if __name__ == "__main__":
    unittest.main()
