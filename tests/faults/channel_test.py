"""A cell at war with its own worker: descriptors closed, frames forged, modules rewritten. What
comes of it is the genuine result or a typed failure; the next cell works, in time."""
import time
import unittest

from faults import SessionTest, outcome

# The descriptors that the interpreter has, wherever it keeps its control socket.
FDS = "import os\nfds = [int(n) for n in os.listdir('/proc/self/fd') if int(n) > 2]\n"
TYPED = ("OK", "EXCEPTION", "EXITED", "SIGNALED", "INFRA", "OUTPUT_LIMIT", "TIMEOUT_WALL")


class Channel(SessionTest):
    def abuse(self, code, expected=TYPED):
        other = self.new_session()
        began = time.monotonic()
        result = self.session.run(code, timeout={"seconds": 10})
        self.assertIn(outcome(result), expected, result)
        self.assertLess(time.monotonic() - began, 20, "no hang")
        self.check_usable()
        result = self.session.run("1 / 0")
        self.assertEqual(result.error.name, "ZeroDivisionError", "the next results are genuine")
        self.assertEqual(self.session.stdout("print('out')"), b"out\n")
        self.assert_usable(other)
        return result

    def test_stdout_and_stderr_closed(self):
        self.abuse("import os\nos.close(1); os.close(2)", ("OK",))

    def test_sys_stdout_gone(self):
        for code in ("import sys; sys.stdout = sys.stderr = None", "import sys; del sys.stdout",
                     "import sys; sys.stdout.close()", "import sys; sys.stdout = 7"):
            with self.subTest(code=code):
                self.abuse(code, ("OK", "EXCEPTION"))

    def test_control_socket_closed(self):
        self.abuse(FDS + "os.closerange(3, 4096)")
        self.assertEqual(self.session.refresh().epoch, 2, "the socket was met")

    def test_every_descriptor_closed(self):
        self.abuse("import os\nos.closerange(0, 65536)\nx = 1")

    def test_control_socket_shut_down(self):
        self.abuse(FDS + "import socket\nfor fd in fds:\n"
                   "    try: socket.socket(fileno=os.dup(fd)).shutdown(2)\n    except OSError: pass")

    def test_descriptors_replaced_by_a_file(self):
        self.abuse(FDS + "f = os.open('trap', os.O_CREAT | os.O_RDWR)\nfor fd in [1, 2] + fds:\n"
                   "    try:\n        os.fstat(fd)\n        if fd != f: os.dup2(f, fd)\n"
                   "    except OSError: pass\nprint('hidden')")

    def test_control_socket_replaced_by_another_pair(self):
        self.abuse(FDS + "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
                   "for fd in fds:\n    if fd not in (a.fileno(), b.fileno()):\n"
                   "        try: os.fstat(fd); os.dup2(a.fileno(), fd)\n        except OSError: pass")

    def test_frames_of_every_type_on_every_descriptor(self):
        forged = (FDS + "import struct\nfor fd in [1, 2] + fds:\n    for kind in range(0, 40):\n"
                  "        for cell in (0, 1, 2**64 - 1):\n            try:\n"
                  "                os.write(fd, struct.pack('<HHIQ', kind, 0, 1, cell) + b'\\x08\\x01')\n"
                  "            except OSError: break\n")
        self.abuse(forged + "raise ValueError('genuine')", ("EXCEPTION",))

    def test_garbage_of_every_size(self):
        self.abuse(FDS + "import random\nfor fd in fds:\n"
                   "    for size in (0, 1, 15, 16, 17, 100, 60000, 61456, 61457, 200000):\n"
                   "        try: os.write(fd, random.randbytes(size))\n        except OSError: break\n"
                   "raise ValueError('genuine')", ("EXCEPTION", "SIGNALED", "TIMEOUT_WALL"))

    def test_forged_frames_are_counted(self):
        result = self.session.run(FDS + "import struct\nfor fd in fds:\n    try:\n"
                                  "        for i in range(5): "
                                  "os.write(fd, struct.pack('<HHIQ', 22, 0, 1, 5) + b'\\x08\\x01')\n"
                                  "    except OSError: pass")
        self.assertIn(outcome(result), ("OK",))
        self.assertGreaterEqual(result.dropped_frames, 5)

    def test_a_flood_of_frames(self):
        before = self.daemon.resident_bytes()
        self.abuse(FDS + "import struct\nframe = struct.pack('<HHIQ', 22, 1, 1, 0) + b'x' * 60000\n"
                   "while True:\n    for fd in fds:\n        try: os.write(fd, frame)\n"
                   "        except OSError: pass", ("OUTPUT_LIMIT", "TIMEOUT_WALL"))
        self.assertLess(self.daemon.resident_bytes() - before, 64 << 20)

    def test_with_the_workers_own_knowledge(self):
        # The worker's memory holds the cell's number; a result forged with it fools only itself.
        result = self.session.run(
            "import gc, os\nfor o in gc.get_objects():\n"
            "    if type(o).__name__ == 'Channel' and hasattr(o, 'send'):\n"
            "        o.send(22, b'\\x08\\x01\\x10\\x63')\n"
            "import time; time.sleep(.5); raise ValueError('genuine')", timeout={"seconds": 10})
        self.assertIn(outcome(result), TYPED, result)
        self.assertIn(self.session.run("1 / 0", timeout={"seconds": 10}).outcome, range(1, 13))
        self.session.kill()
        self.check_usable()
        self.assertEqual(self.session.run("1 / 0").error.name, "ZeroDivisionError")

    def test_descriptors_passed_to_the_daemon(self):
        held = len(self.fds())
        self.abuse(FDS + "import socket, array, struct\nfor fd in fds:\n    try:\n"
                   "        s = socket.socket(fileno=os.dup(fd))\n        for i in range(100):\n"
                   "            s.sendmsg([struct.pack('<HHIQ', 22, 0, 1, 0)], [(socket.SOL_SOCKET, "
                   "socket.SCM_RIGHTS, array.array('i', [1, 2] * 20))], socket.MSG_DONTWAIT)\n"
                   "    except OSError: pass")
        self.assertLess(len(self.fds()), held + 20)

    def fds(self):
        import os
        return os.listdir(f"/proc/{self.daemon.process.pid}/fd")

    def test_the_worker_rewritten(self):
        for code in ("import sys\nfor name, module in list(sys.modules.items()):\n"
                     "    if name.startswith('cellblock_worker'):\n"
                     "        for key, value in list(vars(module).items()):\n"
                     "            if callable(value): setattr(module, key, lambda *a, **k: None)",
                     "import sys\nfor name in list(sys.modules):\n"
                     "    if name != 'sys': sys.modules[name] = None",
                     "import os\nfor name in dir(os):\n    try: setattr(os, name, None)\n"
                     "    except Exception: pass",
                     "import builtins\nfor name in dir(builtins):\n"
                     "    if not name.startswith('__'): setattr(builtins, name, None)",
                     "import gc\ngc.set_threshold(1)\nimport sys\nsys.settrace(lambda *a: 1 / 0)\n"
                     "sys.setswitchinterval(1e-6)",
                     "get_ipython().run_cell = None; get_ipython().__dict__.clear()"):
            with self.subTest(code=code[:60]):
                result = self.session.run(code, timeout={"seconds": 10})
                self.assertIn(outcome(result), TYPED, result)
                # A worker broken to the core may need its kill; then all is well again.
                self.session.run("1", timeout={"seconds": 10})
                self.session.kill()
                self.check_usable()

    def test_inherited_by_children(self):
        self.abuse(FDS + "import struct\nif os.fork() == 0:\n    for fd in fds:\n"
                   "        try: os.write(fd, struct.pack('<HHIQ', 22, 0, 1, 0) + b'\\x08\\x01')\n"
                   "        except OSError: pass\n    os._exit(0)\nos.wait()\nraise ValueError('genuine')",
                   ("EXCEPTION",))


if __name__ == "__main__":
    unittest.main()
