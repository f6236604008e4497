"""Sessions: what they are made of, how long they live, and what is true of them and the server."""
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

import grpc

from support import (DaemonTest, Daemon, EXHAUSTED, INVALID, NOT_FOUND, await_true, children,
                     new_id, runtime_pb2)

KERNEL, EMULATED, ABSENT = runtime_pb2.KERNEL, runtime_pb2.EMULATED, runtime_pb2.ABSENT


class Sessions(DaemonTest):
    config = "max_sessions: 4"

    def test_facts_of_a_new_session(self):
        before = time.time()
        session = self.new_session(labels={"team": "a", "empty": ""})
        facts = session.facts
        self.assertEqual(facts.state, runtime_pb2.IDLE)
        self.assertEqual((facts.epoch, facts.cells_run), (1, 0))
        self.assertEqual((facts.image, facts.policy, facts.tenant), ("host", "python", "local"))
        self.assertEqual(dict(facts.labels), {"team": "a", "empty": ""})
        self.assertEqual(facts.work_dir, "/work")
        self.assertEqual(facts.python_version, session.stdout(
            "import platform; print(platform.python_version())").decode().strip())
        created = facts.created_at.seconds
        self.assertLess(abs(created - before), 60)
        self.assertEqual(facts.idle_expires_at.seconds - facts.last_used_at.seconds, 30 * 60)
        self.assertEqual(facts.expires_at.seconds - created, 24 * 3600)
        self.assertGreaterEqual(len(facts.id), 22, "128 random bits")
        session.run("1")
        again = session.refresh()
        self.assertEqual(again.cells_run, 2)
        self.assertGreater(again.last_used_at.seconds + again.last_used_at.nanos / 1e9,
                           facts.last_used_at.seconds + facts.last_used_at.nanos / 1e9)

    def test_the_list_holds_the_living(self):
        session = self.new_session()
        ids = [s.id for s in self.daemon.stub.ListSessions(
            runtime_pb2.ListSessionsRequest()).sessions]
        self.assertIn(session.id, ids)
        session.delete()
        ids = [s.id for s in self.daemon.stub.ListSessions(
            runtime_pb2.ListSessionsRequest()).sessions]
        self.assertNotIn(session.id, ids)

    def test_deleting_answers_with_a_receipt_and_ends_everything(self):
        session = self.new_session()
        session.run("import subprocess; subprocess.Popen(['sleep', '1000'])\n"
                    "open('x', 'wb').write(b'x' * (8 << 20))")
        before = set(self.daemon.own_processes())
        receipt = session.delete()
        self.assertEqual(receipt.session_id, session.id)
        self.assertEqual(receipt.processes_left, 0)
        self.assertTrue(receipt.mounts_gone and receipt.cgroup_removed and receipt.uids_released)
        self.assertLess(abs(receipt.wiped_at.seconds - time.time()), 60)
        self.assertLessEqual(set(self.daemon.own_processes()), before - {0})
        self.assertLess(len(self.daemon.own_processes()), len(before) - 1)
        self.assert_status(NOT_FOUND, session.refresh, "SESSION_NOT_FOUND")
        self.assert_status(NOT_FOUND, session.delete, "SESSION_NOT_FOUND")

    def test_deleting_ends_a_running_cell(self):
        session = self.new_session()
        call = session.start("import time\nwhile True: time.sleep(.1)")
        next(call)
        began = time.monotonic()
        self.assertEqual(session.delete().processes_left, 0)
        self.assertLess(time.monotonic() - began, 10)
        try:  # its readers are told: by a result, or by the call's failure
            last = list(call)[-1]
            self.assertEqual(last.WhichOneof("event"), "result")
        except grpc.RpcError as error:
            self.assertIn(error.code(), (NOT_FOUND, grpc.StatusCode.UNAVAILABLE))

    def test_a_key_makes_one_session_also_at_the_same_time(self):
        key, ids = new_id(), []

        def create():
            ids.append(self.daemon.session(idempotency_key=key).id)

        threads = [threading.Thread(target=create) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(ids), 5)
        self.assertEqual(len(set(ids)), 1)
        session = self.daemon.session(idempotency_key=key)
        self.addCleanup(session.delete_if_there)
        self.assertEqual(session.id, ids[0])
        other = self.new_session(idempotency_key=new_id())
        self.assertNotEqual(other.id, ids[0])
        session.delete()
        fresh = self.new_session(idempotency_key=key)
        self.assertNotEqual(fresh.id, ids[0], "the key holds only while its session lives")

    def test_as_many_sessions_as_the_server_may_have(self):
        sessions = []
        with self.assertRaises(grpc.RpcError) as caught:
            for _ in range(5):
                sessions.append(self.new_session())
        self.assertEqual(caught.exception.code(), EXHAUSTED)
        self.assertEqual(len(sessions), 4)
        info = self.assert_status(EXHAUSTED, self.daemon.session, "TOO_MANY_SESSIONS")
        self.assertTrue(info.retryable)
        sessions.pop().delete()
        self.assert_usable(self.new_session())

    def test_environment_time_zone_and_clean_surroundings(self):
        os.environ["CELLBLOCK_E2E_CANARY"] = "secret"
        session = self.new_session(environment={"GREETING": "grüß", "EMPTY": ""},
                                   time_zone="Europe/Paris")
        seen = json.loads(session.stdout(
            "import json, os, time\nprint(json.dumps([dict(os.environ), time.tzname]))"))
        environment, names = seen
        self.assertEqual((environment["GREETING"], environment["EMPTY"]), ("grüß", ""))
        self.assertEqual(names, ["CET", "CEST"])
        self.assertEqual(environment["HOME"], "/home/cell")
        allowed = {"GREETING", "EMPTY", "HOME", "PATH", "LANG", "TZ", "USER", "LOGNAME", "SHELL",
                   "PWD", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                   "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "MPLBACKEND", "MPLCONFIGDIR", "TERM",
                   "IPYTHONDIR", "COLUMNS", "LINES", "PAGER", "GIT_PAGER", "CLICOLOR",
                   "FORCE_COLOR", "CLICOLOR_FORCE", "TMPDIR"}
        self.assertLessEqual(set(environment), allowed)

    def test_bad_fields_are_refused_by_name(self):
        for fields, name in (
                ({"environment": {"LD_PRELOAD": "x"}}, "environment"),
                ({"environment": {"PYTHONPATH": "x"}}, "environment"),
                ({"environment": {"A=B": "x"}}, "environment"),
                ({"environment": {"A": "x\0y"}}, "environment"),
                ({"environment": {"A": "x" * 40000}}, "environment"),
                ({"time_zone": "../../etc/passwd"}, "time_zone"),
                ({"time_zone": "/etc/passwd"}, "time_zone"),
                ({"idle_ttl": {"seconds": -1}}, "idle_ttl"),
                ({"total_ttl": {"seconds": -1}}, "total_ttl"),
                ({"limits": {"memory_bytes": 1 << 50}}, "limits.memory_bytes"),
                ({"limits": {"memory_bytes": -1}}, "limits.memory_bytes"),
                ({"limits": {"disk_bytes": 1 << 50}}, "limits.disk_bytes"),
                ({"limits": {"pids": 1 << 20}}, "limits.pids"),
                ({"limits": {"max_cell_time": {"seconds": 10**6}}}, "limits.max_cell_time"),
                ({"labels": {"": "x"}}, "labels"),
                ({"labels": {"x": "y" * 2000}}, "labels"),
                ({"idempotency_key": "k" * 200}, "idempotency_key")):
            with self.subTest(fields=str(fields)[:80]):
                info = self.assert_status(INVALID, lambda: self.daemon.session(**fields),
                                          "BAD_FIELD")
                self.assertEqual(info.object, name)
        self.assert_status(NOT_FOUND, lambda: self.daemon.session(policy="../python"),
                           "POLICY_NOT_FOUND")
        for image in ("nothing", "dir:/", "dir:/etc", "dir:relative", "../host"):
            with self.subTest(image=image):
                self.assert_status((INVALID, NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED,
                                    grpc.StatusCode.FAILED_PRECONDITION),
                                   lambda: self.daemon.session(image=image))

    def test_limits_are_tightened_and_reported(self):
        session = self.new_session(limits={"memory_bytes": 256 << 20, "disk_bytes": 8 << 20,
                                           "pids": 24, "max_cell_time": {"seconds": 2}})
        self.assertEqual(session.outcome("import time; time.sleep(60)"), "TIMEOUT_WALL")
        result = session.run("open('x', 'wb').write(b'x' * (9 << 20))")
        self.assertEqual(result.error.name, "OSError")
        result = session.run("import threading, time\nfor i in range(40): "
                             "threading.Thread(target=time.sleep, args=(5,)).start()")
        self.assertEqual(result.error.name, "RuntimeError", result)
        result = session.run("x = bytearray(512 << 20)")
        self.assertIn(result.error.name, ("MemoryError", ""), result)
        self.assertNotEqual(result.outcome, 1)

    def test_what_is_enforced_is_said(self):
        info = self.daemon.info()
        self.assertEqual(info.kernel_release, os.uname().release)
        self.assertEqual(info.max_sessions, 4)
        self.assertGreater(info.max_message_bytes, 1 << 20)
        self.assertEqual([(image.name, bool(image.digest)) for image in info.images],
                         [("host", True)])
        self.assertIn("python", [policy.name for policy in info.policies])
        of_server = {c.name: c for c in info.capabilities}
        of_session = {c.name: c for c in self.new_session().facts.capabilities}
        for name in ("memory", "pids", "cpu"):
            with self.subTest(name=name):
                here = of_server[name]
                self.assertEqual(here.enforcement, of_session[name].enforcement)
                self.assertEqual(here.enforcement == KERNEL, self.has_controller(name), here)
                if here.enforcement == KERNEL:
                    self.assertTrue(of_session[name].value, "read back from the kernel")
                elif here.enforcement == EMULATED:
                    self.assertTrue(here.how)
                else:
                    self.assertEqual(here.enforcement, ABSENT)
                    self.assertTrue(here.gap)
        for name in ("disk", "inodes", "network", "syscalls", "identity"):
            self.assertEqual(of_server[name].enforcement, KERNEL, name)

    @staticmethod
    def has_controller(name):
        for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
            try:
                with open(os.path.join(root, "cgroup.controllers")) as file:
                    return name in file.read().split()
            except FileNotFoundError:
                continue
        return False


class Expiry(DaemonTest):
    def test_idle_and_total_time_to_live(self):
        # Long enough for a busy machine to start the cell in.
        idle = self.daemon.session(idle_ttl={"seconds": 6})
        self.addCleanup(idle.delete_if_there)
        # A running cell keeps a session from being idle; its end starts the clock.
        self.assertEqual(idle.outcome("import time; time.sleep(7)"), "OK")
        idle.refresh()
        total = self.daemon.session(total_ttl={"seconds": 6})
        self.addCleanup(total.delete_if_there)
        call = total.start("import time\nwhile True: time.sleep(.1)")
        next(call)
        for session in (idle, total):
            self.assertTrue(await_true(lambda: self.is_gone(session), 20))
        self.assertTrue(await_true(lambda: len(self.daemon.own_processes()) == 1),
                        "only the daemon is left")

    def is_gone(self, session):
        # Not by GetSession alone: asking must not keep it alive.
        time.sleep(0.3)
        return session.id not in [s.id for s in self.daemon.stub.ListSessions(
            runtime_pb2.ListSessionsRequest()).sessions]


class Isolation(DaemonTest):
    """Two sessions share nothing."""

    def test_names_ports_files_and_state(self):
        one, two = self.new_session(), self.new_session()
        code = ("import socket, os, sys\n"
                "a = socket.socket(socket.AF_UNIX); a.bind('\\0shared-name')\n"
                "b = socket.socket(); b.bind(('127.0.0.1', 45454)); b.listen(1)\n"
                "print(globals().get('secret'), os.environ.get('LEAK'), sys.modules.get('evil'),\n"
                "      sorted(os.listdir('.')), sorted(os.listdir('/tmp')), os.listdir('/dev/shm'))\n"
                "secret = 1; os.environ['LEAK'] = '1'; sys.modules['evil'] = sys\n"
                "for folder in ('.', '/tmp', '/dev/shm', os.environ['HOME']):\n"
                "    open(folder + '/left', 'w').close()")
        clean = b"None None None [] [] []\n"
        self.assertEqual(one.stdout(code), clean)
        self.assertEqual(two.stdout(code), clean)
        self.assertNotEqual(one.stdout("import random, uuid; print(random.random(), uuid.uuid4())"),
                            two.stdout("import random, uuid; print(random.random(), uuid.uuid4())"))
        # Not even with the same uid: a session that comes after has fresh folders.
        one.delete()
        three = self.new_session()
        self.assertEqual(three.stdout(code), clean)

    def test_ids_of_other_sessions_reach_nothing(self):
        one, two = self.new_session(), self.new_session()
        execution = new_id()
        one.run("1", execution_id=execution)
        for call in (lambda: list(two.attach(execution)), lambda: two.execution(execution),
                     lambda: two.cancel(execution), lambda: two.interrupt(execution)):
            self.assert_status(NOT_FOUND, call, "EXECUTION_NOT_FOUND")


class Surface(DaemonTest):
    def test_socket_is_private(self):
        mode = os.stat(self.daemon.socket)
        self.assertTrue(stat.S_ISSOCK(mode.st_mode))
        self.assertEqual(stat.S_IMODE(mode.st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(self.daemon.socket)).st_mode), 0o700)
        script = ("import os, socket, sys\nos.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
                  "try: socket.socket(socket.AF_UNIX).connect(sys.argv[1])\n"
                  "except PermissionError: sys.exit(7)")
        self.assertEqual(subprocess.run([sys.executable, "-c", script, self.daemon.socket],
                                        check=False).returncode, 7)
        with socket.socket(socket.AF_UNIX) as here:
            here.connect(self.daemon.socket)

    def test_daemon_has_no_privileges(self):
        with open(f"/proc/{self.daemon.process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        self.assertNotIn("0", fields["Uid"].split())
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(fields[name], 16), 0, name)
        self.assertEqual(fields["NoNewPrivs"].strip(), "1")
        self.assertEqual(fields["Groups"].split(), [])

    def test_launcher_has_one_thread_and_init_no_privileges(self):
        session = self.new_session()
        launcher = self.daemon.launcher_pid()
        self.assertEqual(len(os.listdir(f"/proc/{launcher}/task")), 1)
        inside = [pid for pid in children(launcher)]
        self.assertEqual(len(inside), 1)
        for pid in inside + children(inside[0]):
            with open(f"/proc/{pid}/status") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line)
            self.assertEqual(int(fields["CapEff"], 16) | int(fields["CapBnd"], 16), 0, pid)
            self.assertNotIn("0", fields["Uid"].split(), "never the host's root")
            self.assertEqual(fields["Seccomp"].strip(), "2")
        self.assert_usable(session)

    def test_health_and_reflection_answer(self):
        health = self.daemon.channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=10)
        self.assertEqual(health, b"\x08\x01", "SERVING")
        reply = next(iter(self.daemon.channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")(
                iter([b"\x3a\x01*"]), timeout=10)))
        self.assertIn(b"cellblock.v1.Runtime", reply)


class SelfTest(unittest.TestCase):
    def test_health_serves_after_a_cell_has_run(self):
        with Daemon(self_test=True) as daemon:
            check = daemon.channel.unary_unary("/grpc.health.v1.Health/Check")
            self.assertTrue(await_true(lambda: check(b"", timeout=10) == b"\x08\x01", 60))
            self.assertTrue(await_true(lambda: len(daemon.own_processes()) == 1),
                            "the session of the self-test is gone")


if __name__ == "__main__":
    unittest.main()
