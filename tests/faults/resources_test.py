"""Cells that take all there is: processes, memory in every hiding place, disk, descriptors. The
answer is typed, the session works on, and its neighbour notices nothing."""
import time
import unittest

from faults import LOST, SessionTest, cell_pb2, outcome, runtime_pb2

MIB = 1 << 20
MEMORY = 192 * MIB


class Resources(SessionTest):
    """With limits small enough to be reached soon."""

    def setUp(self):
        self.session = self.new_session(limits={
            "memory_bytes": MEMORY, "disk_bytes": 64 * MIB, "pids": 64})
        self.neighbour = self.new_session()
        self.enforced = {c.name: c.enforcement for c in self.session.facts.capabilities}

    def attack(self, code, timeout=60):
        """The result of the code; whatever it is, neighbour and session work on."""
        began = time.monotonic()
        call = self.session.start(code, timeout={"seconds": timeout})
        next(call)
        self.assertEqual(self.neighbour.stdout("print(1)"), b"1\n")
        result = list(call)[-1].result
        self.assertLess(time.monotonic() - began, timeout + 20)
        self.assertNotEqual(outcome(result), "INFRA", result)
        return result

    def check_both(self):
        self.check_usable()
        self.assert_usable(self.neighbour)


class Processes(Resources):
    def check_bomb(self, code):
        result = self.attack(code)
        self.assert_outcome(result, "EXCEPTION")
        self.assertEqual(result.cause, cell_pb2.PIDS, result)
        self.session.kill()
        self.assertEqual(self.session.stdout(
            "import os; print(sum(p.isdigit() for p in os.listdir('/proc')))"), b"2\n")
        self.check_both()

    def test_fork_bomb(self):
        self.check_bomb("import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(1000)")

    def test_exponential_fork_bomb(self):
        result = self.attack("import os, time\nend = time.monotonic() + 2\n"
                             "while time.monotonic() < end:\n    try: os.fork()\n"
                             "    except OSError: time.sleep(.01)", 20)
        self.assertIn(outcome(result), ("OK", "EXCEPTION", "TIMEOUT_WALL"), result)
        self.session.kill()
        self.check_both()

    def test_thread_bomb(self):
        self.check_bomb("import threading, time\nwhile True: threading.Thread("
                        "target=time.sleep, args=(1000,), daemon=True).start()")


class Memory(Resources):
    def check_bomb(self, code, outcomes=("EXCEPTION", "OOM"), timeout=60):
        """On a host that does not enforce memory the declared stand-in answers."""
        result = self.attack(code, timeout)
        self.assertIn(outcome(result), outcomes, result)
        if outcome(result) == "OOM":
            self.assertEqual(result.state, LOST)
            self.assertIn("memory", [e.limit for e in result.limit_events])
        else:
            self.assertIn(result.error.name, ("MemoryError", "OSError", "PermissionError"), result)
        self.session.run("import os\nfor p in ('/dev/shm/x', '/tmp/x'):\n"
                         "    if os.path.exists(p): os.remove(p)")
        self.session.kill()
        self.check_both()
        return result

    def test_anonymous(self):
        result = self.check_bomb("x = []\nwhile True: x.append(bytearray(16 << 20))")
        if result.error.name:
            self.assertEqual(result.cause, cell_pb2.MEMORY, result)

    def test_one_giant(self):
        result = self.check_bomb("x = bytearray(64 << 30)", ("EXCEPTION",))
        self.assertEqual(result.error.name, "MemoryError")

    def test_shared_mapping(self):
        self.check_bomb("import mmap\nm = []\nwhile True:\n    k = mmap.mmap(-1, 16 << 20)\n"
                        "    k.write(b'x' * (16 << 20)); m.append(k)")

    def test_children_that_each_stay_below(self):
        self.check_bomb("import os, time\nfor i in range(8):\n    if os.fork() == 0:\n"
                        "        x = b'x' * (64 << 20)\n        time.sleep(1000)\ntime.sleep(30)\n"
                        "raise MemoryError('not stopped')", ("OOM",))

    def test_memfd(self):
        result = self.check_bomb("import os\nfd = os.memfd_create('x')\n"
                                 "while True: os.write(fd, b'x' * (16 << 20))")
        if self.enforced["memory"] != runtime_pb2.KERNEL:
            self.assertEqual(result.error.name, "PermissionError", "nothing counts it: refused")

    def test_dev_shm(self):
        result = self.check_bomb("f = open('/dev/shm/x', 'wb')\nwhile True: f.write(b'x' * (1 << 20))")
        self.assertEqual(result.cause, cell_pb2.DISK_FULL, result)

    def test_shared_memory_of_the_library(self):
        result = self.session.run("from multiprocessing import shared_memory\n"
                                  "x = shared_memory.SharedMemory(create=True, size=8 << 30)\n"
                                  "x.buf[:] = bytes(len(x.buf))", timeout={"seconds": 60})
        self.assertIn(outcome(result), ("EXCEPTION", "SIGNALED", "OOM"), result)
        self.check_both()

    def test_tmp(self):
        result = self.check_bomb("f = open('/tmp/x', 'wb')\nwhile True: f.write(b'x' * (1 << 20))")
        self.assertEqual(result.cause, cell_pb2.DISK_FULL, result)

    def test_pipes_and_sockets(self):
        result = self.attack(
            "import os, socket\nheld = []\ntry:\n    while True:\n        a, b = socket.socketpair()\n"
            "        a.setblocking(False); held += [a, b]\n        try:\n"
            "            while True: a.send(b'x' * 65536)\n        except BlockingIOError: pass\n"
            "        r, w = os.pipe(); os.set_blocking(w, False); held += [r, w]\n        try:\n"
            "            while True: os.write(w, b'x' * 65536)\n        except BlockingIOError: pass\n"
            "except OSError as error:\n    print(error.errno)", 30)
        self.assertIn(outcome(result), ("OK", "OOM"), result)
        self.session.kill()
        self.check_both()

    def test_locked_memory(self):
        self.assertNotEqual(self.session.stdout(
            "import ctypes, mmap\nL = ctypes.CDLL(None, use_errno=True)\n"
            "m = mmap.mmap(-1, 128 << 20)\na = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
            "print(L.mlock(ctypes.c_void_p(a), ctypes.c_size_t(128 << 20)))"), b"0\n")


class Disk(Resources):
    def test_full_disk(self):
        result = self.attack("f = open('big', 'wb')\nwhile True: f.write(b'x' * (1 << 20))")
        self.assertEqual(result.cause, cell_pb2.DISK_FULL, result)
        self.assertEqual(result.error.name, "OSError")
        size = {info.path: info.size for info in self.session.list()}[b"big"]
        self.assertLess(size, 65 * MIB)
        self.assertGreater(size, 48 * MIB)
        # The daemon's own work in a full session.
        self.check_usable()
        self.session.remove(b"big")
        self.assertEqual(self.session.outcome("f.close(); open('ok', 'wb').write(b'x' * (32 << 20))"),
                         "OK", "the space comes back")
        self.check_both()

    def test_full_inodes(self):
        result = self.attack("import os\nos.mkdir('many')\n"
                             "for i in range(10**6): open(f'many/{i}', 'w').close()")
        self.assertEqual(result.cause, cell_pb2.DISK_FULL, result)
        self.check_usable()
        self.session.remove(b"many", recursive=True)
        self.assertEqual(self.session.outcome("open('one', 'w').close()"), "OK")

    def test_home_and_tmp_count_too(self):
        result = self.attack("import os\nfor place in ('.', '/tmp', os.environ['HOME']):\n"
                             "    open(place + '/part', 'wb').write(b'x' * (30 << 20))")
        self.assertEqual(result.cause, cell_pb2.DISK_FULL, result)

    def test_apparent_size(self):
        result = self.attack("open('sparse', 'wb').truncate(1 << 50)")
        self.assertEqual(result.error.name, "OSError", result)
        self.check_both()

    def test_deep_folders_go_away(self):
        self.attack("import os\nfor i in range(5000):\n    os.mkdir('d'); os.chdir('d')")
        self.session.kill()
        self.session.remove(b"d", recursive=True)
        self.assertEqual(self.session.list(), [])


class Descriptors(Resources):
    def test_every_descriptor_taken(self):
        result = self.attack("import os\nheld = []\nwhile True: held.append(os.dup(0))")
        self.assertEqual((result.error.name, result.error.value[:10]), ("OSError", "[Errno 24]"))
        self.assertEqual(self.session.outcome("for fd in held: os.close(fd)"), "OK")
        self.check_both()

    def test_kernel_objects(self):
        result = self.attack("import os, select\nheld = []\nwhile True: "
                             "held += [select.epoll(), os.eventfd(0)]")
        self.assertEqual(result.error.name, "OSError", result)
        self.session.kill()
        self.check_both()

    def test_one_exhausted_session_leaves_the_daemon_its_own(self):
        self.session.run("import os\nheld = []\ntry:\n    while True: held.append(os.dup(0))\n"
                         "except OSError: pass")
        self.session.upload(b"x", b"y")
        self.assertEqual(self.session.download(b"x"), b"y")
        self.assert_usable(self.new_session())


class Cpu(Resources):
    def test_spinners_leave_the_daemon_responsive(self):
        call = self.session.start("import os\nfor i in range(32):\n    if os.fork() == 0:\n"
                                  "        while True: pass\nwhile True: pass",
                                  timeout={"seconds": 6})
        next(call)
        time.sleep(1)
        waits = []
        for _ in range(10):
            began = time.monotonic()
            self.assertEqual(self.neighbour.stdout("print(1)"), b"1\n")
            waits.append(time.monotonic() - began)
        self.assertLess(sorted(waits)[5], 2, waits)
        self.assert_outcome(list(call)[-1].result, "TIMEOUT_WALL")
        self.session.kill()
        self.check_both()

    def test_priority_is_not_raised(self):
        self.assertEqual(self.session.stdout(
            "import os\nr = []\nfor f in (lambda: os.nice(-5), lambda: os.sched_setscheduler(0, "
            "os.SCHED_FIFO, os.sched_param(10)), lambda: os.setpriority(os.PRIO_PROCESS, 0, -20)):\n"
            "    try: f(); r.append(0)\n    except OSError: r.append(1)\nprint(r)"), b"[1, 1, 1]\n")


if __name__ == "__main__":
    unittest.main()
