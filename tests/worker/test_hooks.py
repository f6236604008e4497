"""What the worker does around a fork of the whole interpreter."""
import gc
import os
import random
import subprocess
import tempfile
import threading
import unittest

import golden  # noqa: F401  (puts the worker package on the path)
from cellblock_worker import hooks


def _open_descriptors():
    listed = os.listdir("/proc/self/fd")
    return [int(fd) for fd in listed if os.path.exists("/proc/self/fd/" + fd)]


class BeforeFork(unittest.TestCase):
    def tearDown(self):
        gc.unfreeze()

    def test_a_quiet_process_has_no_blockers(self):
        flushed = []
        own = _open_descriptors()
        self.assertEqual(hooks.before_fork(lambda: flushed.append(1), own), [])
        self.assertEqual(flushed, [1])
        self.assertGreater(gc.get_freeze_count(), 1000)

    def test_threads_children_sockets_and_pipes_are_named(self):
        own = _open_descriptors()
        release = threading.Event()
        thread = threading.Thread(target=release.wait)
        thread.start()
        child = subprocess.Popen(["sleep", "30"])
        ends = os.pipe()
        try:
            blockers = hooks.before_fork(lambda: None, own)
        finally:
            release.set()
            thread.join()
            child.kill()
            child.wait()
            for end in ends:
                os.close(end)
        self.assertIn("1 threads besides the main one", blockers)
        self.assertIn("1 child processes", blockers)
        self.assertEqual(len([b for b in blockers if b.endswith("a pipe")]), 2)


class AfterFork(unittest.TestCase):
    def test_a_copy_has_its_own_random_numbers_and_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            answers = []
            for _ in range(2):
                reader, writer = os.pipe()
                random.seed(1)
                hooks.before_fork(lambda: None)
                pid = os.fork()
                if pid == 0:
                    hooks.after_fork(folder)
                    text = "%s %s %d" % (random.random(), os.getcwd(), gc.get_freeze_count())
                    os.write(writer, text.encode())
                    os._exit(0)
                os.waitpid(pid, 0)
                answers.append(os.read(reader, 1000).decode().split())
                os.close(reader)
                os.close(writer)
            gc.unfreeze()
            self.assertNotEqual(answers[0][0], answers[1][0])
            self.assertEqual(answers[0][1:], [os.path.realpath(folder), "0"])


if __name__ == "__main__":
    unittest.main()
