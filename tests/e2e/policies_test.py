"""Policies over the real daemon: the shipped ones at work, and what of a policy a session cannot have."""
import os
import shutil
import tempfile
import unittest

import grpc

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


class ReadOnlyFolders(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cellblock-policies-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.policies = os.path.join(self.folder, "policies")
        shutil.copytree(POLICIES, self.policies)
        self.prices = os.path.join(self.folder, "prices")
        os.mkdir(self.prices)
        with open(os.path.join(self.prices, "today.csv"), "w") as file:
            file.write("1,2\n")
        with open(os.path.join(self.prices, "run"), "w") as file:
            file.write("#!/bin/sh\necho ran\n")
        os.chmod(os.path.join(self.prices, "run"), 0o755)

    def write(self, name, folder):
        with open(os.path.join(self.policies, f"{name}.textproto"), "w") as file:
            file.write(f'name: "{name}" extends: "python"\n'
                       f'filesystem {{ read_only {{ reason: "r" name: "{folder}" }} }}\n')

    def test_folders_that_the_operator_has_named_are_read_only(self):
        self.write("prices", "prices")
        self.write("others", "others")
        roots = f'read_only_roots {{ name: "prices" path: "{self.prices}" }}'
        with Daemon(f'policy_dir: "{self.policies}"', launcher=roots) as daemon:
            session = daemon.session(policy="prices")
            self.assertEqual(session.stdout("import os; print(open('/data/prices/today.csv').read(), "
                                            "os.listdir('/data'))").decode(), "1,2\n ['prices']\n")
            for code, error in (("open('/data/prices/today.csv', 'a')", "OSError"),
                                ("open('/data/prices/new', 'w')", "OSError"),
                                ("os.remove('/data/prices/today.csv')", "OSError"),
                                ("os.chmod('/data/prices/today.csv', 0o777)", "OSError"),
                                ("os.mkdir('/data/mine')", "PermissionError"),
                                ("__import__('subprocess').run('/data/prices/run')",
                                 "PermissionError")):
                with self.subTest(code):
                    result = session.run("import os\n" + code)
                    self.assertIn(result.error.name, (error, "PermissionError"), result)
            line, = session.stdout("print([l for l in open('/proc/self/mountinfo') if '/data/' in l]"
                                   "[0])").decode().split("\n\n")[:1]
            self.assertIn(" /data/prices ro,nosuid,nodev,noexec,", line)
            self.assertEqual(session.run("1").outcome, 1)
            with self.assertRaises(grpc.RpcError) as caught:
                daemon.session(policy="others")
            self.assertEqual(caught.exception.code(), PRECONDITION)
            self.assertIn("not named", caught.exception.details())
            self.assertFalse(daemon.session(policy="python").stdout(
                "import os; print(os.path.exists('/data'), end='')") != b"False")
        with open(os.path.join(self.prices, "today.csv")) as file:
            self.assertEqual(file.read(), "1,2\n")

    def test_roots_that_are_wrong_stop_the_launcher(self):
        for root, says in (('name: "A" path: "/x"', "a-z"), ('name: "a" path: "x"', "absolute"),
                           ('name: "a" path: "/x" } read_only_roots { name: "a" path: "/y"', "two")):
            with self.subTest(root), self.assertRaises(AssertionError) as caught:
                Daemon(launcher=f"read_only_roots {{ {root} }}").stop()
            self.assertIn(says, str(caught.exception))


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
