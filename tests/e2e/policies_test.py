"""Policies over the real daemon: the shipped ones at work, and what of a policy a session cannot have."""
import os
import shutil
import tempfile
import unittest

from support import INVALID, PRECONDITION, ROOT, Daemon, DaemonTest

POLICIES = os.path.join(ROOT, "policies")


class Shipped(DaemonTest):
    def test_every_policy_is_listed_and_base_runs_threads_only(self):
        listed = {policy.name for policy in self.daemon.info().policies}
        self.assertLessEqual({"analyst-network", "base", "data-science", "python", "strict"}, listed)
        session = self.new_session(policy="base")
        self.assertEqual(session.stdout(
            "import asyncio, threading\n"
            "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
            "print(await asyncio.sleep(0, 'loop'))").decode(), "thread\nloop\n")
        for code in ("import os; os.fork()", "import subprocess; subprocess.run(['true'])",
                     "import socket; socket.socket()"):
            with self.subTest(code):
                self.assertEqual(session.run(code).error.name, "PermissionError")

    def test_strict_sets_environment_and_zone(self):
        session = self.new_session(policy="strict")
        self.assertEqual(session.stdout("import os, time\n"
                                        "print(os.environ['OMP_NUM_THREADS'], time.tzname[0])").decode(),
                         "1 UTC\n")
        self.assertEqual(session.run("import os; os.mkfifo('f'); os.chown('f', 1000, 1000)").error.name,
                         "PermissionError")
        for fields in ({"environment": {"OMP_NUM_THREADS": "8"}}, {"time_zone": "Europe/Paris"},
                       {"limits": {"pids": 33}}):
            with self.subTest(fields):
                self.assert_status(INVALID, lambda: self.new_session(policy="strict", **fields))
        self.new_session(policy="strict", environment={"OMP_NUM_THREADS": "1", "MORE": "1"},
                         time_zone="UTC", limits={"pids": 31})

    def test_data_science_runs_data_work(self):
        session = self.new_session(policy="data-science")
        self.assertEqual(session.stdout(
            "import multiprocessing, sqlite3, ssl, subprocess\n"
            "import numpy, pandas\n"
            "print(subprocess.run(['echo', 'hi'], capture_output=True).stdout)\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1, -2]))\n"
            "print(sqlite3.connect('x.db').execute('select 1').fetchone(), bool(ssl.OPENSSL_VERSION))\n"
            "print(int(pandas.Series(numpy.ones(3)).sum()))").decode(), "b'hi\\n'\n[1, 2]\n(1,) True\n3\n")

    def test_allowed_hosts_wait_for_the_relay(self):
        info = self.assert_status(PRECONDITION, lambda: self.new_session(policy="analyst-network"),
                                  "NETWORK_NOT_AVAILABLE")
        self.assertIn("network.allow", info.object)
        self.assertTrue(info.remedy)


class Folder(unittest.TestCase):
    def refused(self, says, **files):
        with self.subTest(says):
            folder = tempfile.mkdtemp(prefix="cellblock-policies-")
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            os.chmod(folder, 0o755)
            for name, text in files.items():
                with open(os.path.join(folder, f"{name}.textproto"), "w") as file:
                    file.write(text)
            with self.assertRaises(AssertionError) as caught:
                Daemon(f'policy_dir: "{folder}"').stop()
            self.assertIn(says, str(caught.exception))

    def test_a_daemon_does_not_start_with_a_wrong_policy(self):
        with open(os.path.join(POLICIES, "python.textproto")) as file:
            python = file.read()
        self.refused("child.textproto:1: extends: no missing.textproto", python=python,
                     child='name: "child" extends: "missing"')
        self.refused("belongs to dangerous.syscalls", python=python,
                     child='name: "child" extends: "python"\n'
                           'syscalls { rules { reason: "r" calls: "io_setup" } }')


if __name__ == "__main__":
    unittest.main()
