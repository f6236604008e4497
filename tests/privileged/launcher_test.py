"""The launcher, init and the containment steps on the real kernel, without the daemon."""
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from launcher_driver import BIN, Launcher, limits, pb

NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
UID_BASE = 1879048192
ENOENT, EPERM, EXDEV, ELOOP, EINVAL, EPROTO = 2, 1, 18, 40, 22, 71


def status_of(pid):
    with open(f"/proc/{pid}/status") as lines:
        return dict(line.rstrip("\n").split(":\t", 1) for line in lines if ":\t" in line)


def gone(pidfd, timeout=10):
    return bool(select.select([pidfd], [], [], timeout)[0])


class LauncherCase(unittest.TestCase):
    def setUp(self):
        self.run_dir = tempfile.mkdtemp(prefix="cellblock-run-")
        os.chmod(self.run_dir, 0o755)
        self.addCleanup(shutil.rmtree, self.run_dir, ignore_errors=True)

    def launch(self, **config):
        launcher = Launcher(self.run_dir, **config)

        def stop():
            launcher.socket.close()
            launcher.process.kill()
            launcher.process.wait()

        self.addCleanup(stop)
        return launcher


class Confinement(LauncherCase):
    def setUp(self):
        super().setUp()
        self.launcher = self.launch()
        self.sandbox = self.launcher.sandbox()

    def check_stripped(self, status):
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["Seccomp"], "2")
        self.assertEqual(status["Groups"].strip(), "")
        uids = {int(uid) for uid in status["Uid"].split()}
        self.assertEqual(len(uids), 1)
        self.assertGreater(uids.pop(), UID_BASE)

    def test_init_has_no_privilege(self):
        self.check_stripped(status_of(self.sandbox.init_pid))

    def test_init_is_in_namespaces_of_its_own(self):
        for name in NAMESPACES:
            inside = os.readlink(f"/proc/{self.sandbox.init_pid}/ns/{name}")
            self.assertNotEqual(inside, os.readlink(f"/proc/self/ns/{name}"), name)

    def test_host_root_is_not_mapped(self):
        with open(f"/proc/{self.sandbox.init_pid}/uid_map") as lines:
            ranges = [[int(word) for word in line.split()] for line in lines]
        self.assertEqual([(inner, count) for inner, _, count in ranges], [(0, 1), (1000, 1)])
        for _, outer, _ in ranges:
            self.assertGreaterEqual(outer, UID_BASE)

    def test_init_holds_only_its_descriptors(self):
        folder = f"/proc/{self.sandbox.init_pid}/fd"
        kinds = sorted(os.readlink(f"{folder}/{fd}").split(":")[0] for fd in os.listdir(folder))
        self.assertEqual(kinds, ["/dev/null"] * 3 + ["/work", "anon_inode", "pipe", "socket"])

    def test_mountinfo_names_no_folder_of_the_host(self):
        with open(f"/proc/{self.sandbox.init_pid}/mountinfo") as lines:
            text = lines.read()
        self.assertNotIn(self.run_dir, text)
        self.assertNotIn(os.path.dirname(BIN), text)
        self.assertIn("lowerdir=lower,upperdir=disk/upper", text)

    def test_every_mount_is_nosuid_and_no_device_can_be_made(self):
        with open(f"/proc/{self.sandbox.init_pid}/mountinfo") as lines:
            for line in lines:
                fields = line.split()
                options = fields[5].split(",")
                self.assertIn("nosuid", options, line)
                if "rw" in options:
                    self.assertIn("nodev", options, line)

    def test_worker_is_stripped_and_a_child_of_init(self):
        worker = self.sandbox.worker()
        self.assertEqual(worker.eval("__import__('os').getppid()"), "1")
        self.assertEqual(worker.eval("__import__('os').getresuid()"), "(1000, 1000, 1000)")
        text = eval(worker.eval("open('/proc/self/status').read()"))
        status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["Seccomp"], "2")

    def test_worker_sees_its_folder_and_the_small_root(self):
        worker = self.sandbox.worker()
        self.assertEqual(worker.eval("__import__('os').getcwd()"), "'/work'")
        self.assertEqual(worker.eval("sorted(__import__('os').listdir('/dev'))"),
                         str(sorted(["null", "zero", "full", "random", "urandom", "fd", "stdin",
                                     "stdout", "stderr", "shm"])))
        for path in ("/etc/shadow", "/root", "/home/cell/../..//sys", "/var/lib/dpkg"):
            self.assertEqual(worker.eval(f"__import__('os').path.exists({path!r})"), "False", path)
        self.assertEqual(worker.eval("__import__('socket').gethostname()"), "'cellblock'")
        interfaces = eval(worker.eval("open('/proc/net/dev').readlines()[2:]"))
        self.assertEqual([line.split(":")[0].strip() for line in interfaces], ["lo"])

    def test_worker_cannot_open_inits_memory_or_descriptors(self):
        worker = self.sandbox.worker()
        for name in ("environ", "mem", "maps"):
            self.assertIn("PermissionError", worker.eval(f"open('/proc/1/{name}', 'rb').read(1)"))
        self.assertIn("PermissionError", worker.eval("__import__('os').listdir('/proc/1/fd')"))

    def test_worker_cannot_kill_init(self):
        worker = self.sandbox.worker()
        worker.eval("__import__('os').kill(1, 9)")
        self.assertFalse(gone(self.sandbox.pidfd, timeout=0.3))

    def test_loopback_is_up(self):
        worker = self.sandbox.worker()
        self.assertEqual(worker.eval(
            "(lambda s: (s.bind(('127.0.0.1', 0)), s.listen(), "
            "__import__('socket').create_connection(s.getsockname()).close(), 'connected')[-1])"
            "(__import__('socket').socket())"), "'connected'")

    def test_disk_and_inode_limits_hold(self):
        worker = self.sandbox.worker()
        self.assertIn("No space left", worker.eval(
            "open('/work/big', 'wb').write(b'x' * (80 << 20))"))
        self.assertIn("No space left", worker.eval(
            "[open(f'/tmp/{i}', 'w').close() for i in range(3000)]"))

    def test_fork_bomb_stops_at_the_limit(self):
        worker = self.sandbox.worker()
        answer = worker.eval(
            "(lambda os, t: [os.fork() or t.sleep(60) for i in range(200)])"
            "(__import__('os'), __import__('time'))")
        self.assertIn("BlockingIOError", answer)
        self.assertEqual(self.sandbox.request(2)["error"], 0)  # kill all: the session lives on
        self.assertTrue(gone(worker.pidfd))
        self.assertEqual(self.sandbox.worker(incarnation=2).eval("1 + 1"), "2")


class InitFiles(LauncherCase):
    LIST, OPEN, REMOVE, USAGE = 5, 3, 6, 7

    def setUp(self):
        super().setUp()
        self.sandbox = self.launch().sandbox()

    def test_upload_appears_whole_and_belongs_to_the_session(self):
        data = os.urandom(300000)
        self.assertEqual(self.sandbox.upload(b"a/b/c.bin", data)["error"], 0)
        opened = self.sandbox.request(self.OPEN, path=b"a/b/c.bin")
        with os.fdopen(opened["fds"][0], "rb") as file:
            self.assertEqual(file.read(), data)
            self.assertGreater(os.fstat(file.fileno()).st_uid, UID_BASE)

    def test_upload_of_another_size_than_promised_leaves_nothing(self):
        self.assertEqual(self.sandbox.upload(b"x", b"12345", promised=6)["error"], EPROTO)
        self.assertEqual(self.sandbox.request(self.LIST, number=10)["entries"], [])

    def test_upload_beyond_the_quota_leaves_nothing(self):
        answer = self.sandbox.upload(b"big", b"x" * (70 << 20))
        self.assertEqual(answer["error"], 28)
        self.assertEqual(self.sandbox.request(self.LIST, number=10)["entries"], [])
        self.assertLess(self.sandbox.request(self.USAGE)["value"], 1 << 20)

    def test_paths_that_lead_out_are_refused(self):
        worker = self.sandbox.worker()
        worker.eval("__import__('os').symlink('/etc', '/work/link')")
        worker.eval("__import__('os').symlink('/etc/passwd', '/work/file')")
        for path, errors in ((b"../etc/passwd", {EXDEV}), (b"/etc/passwd", {EXDEV}),
                             (b"link/passwd", {ELOOP}), (b"file", {ELOOP}), (b"a/../../x", {ENOENT, EXDEV})):
            self.assertIn(self.sandbox.request(self.OPEN, path=path)["error"], errors, path)
        self.assertNotEqual(self.sandbox.upload(b"link/evil", b"x")["error"], 0)
        self.assertEqual(worker.eval("__import__('os').path.exists('/etc/evil')"), "False")

    def test_fifo_does_not_block_init(self):
        worker = self.sandbox.worker()
        worker.eval("__import__('os').mkfifo('/work/fifo')")
        opened = self.sandbox.request(self.OPEN, path=b"fifo")
        self.assertTrue(stat.S_ISFIFO(os.fstat(opened["fds"][0]).st_mode))

    def test_list_shows_links_as_links_and_any_name(self):
        worker = self.sandbox.worker()
        worker.eval("__import__('os').symlink('/etc', b'/work/li\\xffnk')")
        worker.eval("__import__('os').makedirs('/work/d/e')")
        entries = self.sandbox.request(self.LIST, flags=1, number=100)["entries"]
        self.assertEqual({entry["path"]: entry["type"] for entry in entries},
                         {b"li\xffnk": 3, b"d": 2, b"d/e": 2})

    def test_list_is_cut_at_the_number(self):
        self.sandbox.worker().eval("[open(f'/work/{i}', 'w').close() for i in range(50)]")
        reply = self.sandbox.request(self.LIST, number=20)
        self.assertEqual((len(reply["entries"]), reply["value"]), (20, 1))

    def test_deep_tree_without_rights_is_removed(self):
        worker = self.sandbox.worker()
        worker.eval("(lambda os: [(os.mkdir('d'), os.chdir('d')) for i in range(400)])"
                    "(__import__('os'))")
        worker.eval("__import__('os').chmod('/work/d', 0)")
        self.assertEqual(self.sandbox.request(self.REMOVE, path=b"d", flags=1)["error"], 0)
        self.assertEqual(self.sandbox.request(self.LIST, flags=1, number=9)["entries"], [])

    def test_remove_takes_the_link_not_its_target(self):
        worker = self.sandbox.worker()
        worker.eval("__import__('os').symlink('/tmp', '/work/link')")
        worker.eval("open('/tmp/kept', 'w').close()")
        self.assertEqual(self.sandbox.request(self.REMOVE, path=b"link", flags=1)["error"], 0)
        self.assertEqual(worker.eval("__import__('os').path.exists('/tmp/kept')"), "True")

    def test_removing_what_is_not_there_says_so(self):
        self.assertEqual(self.sandbox.request(self.REMOVE, path=b"nothing")["error"], ENOENT)


class Requests(LauncherCase):
    def failure(self, **changes):
        reply, fds = self.launcher.create(**changes)
        self.assertTrue(reply.HasField("failure"))
        self.assertEqual(fds, [])
        return reply.failure

    def setUp(self):
        super().setUp()
        self.approved = os.path.join(self.run_dir, "images")
        os.makedirs(os.path.join(self.approved, "empty"))
        self.launcher = self.launch(image_roots=[self.approved],
                                    ceiling=pb.Limits(memory_bytes=2 << 30, cpu_millis=1500))

    def test_bad_requests_are_refused_by_name(self):
        for changes, thing in (
                (dict(image="nonsense"), "nonsense"),
                (dict(image="dir:/etc"), "/etc"),
                (dict(image=f"dir:{self.approved}/../.."), self.approved),
                (dict(limits=limits(memory_bytes=0)), "limits.memory_bytes"),
                (dict(limits=limits(memory_bytes=3 << 30)), "limits.memory_bytes"),
                (dict(limits=limits(cpu_millis=2000)), "limits.cpu_millis"),
                (dict(limits=limits(cpu_millis=0)), "limits.cpu_millis"),
                (dict(time_zone="../../etc/passwd"), "time_zone"),
                (dict(read_only=["nobody"]), "read_only"),
                (dict(seccomp_program=b""), "seccomp_program"),
                (dict(seccomp_program=b"\x06\0\0\0\0\0\xff\x7f"), "seccomp_program")):
            failure = self.failure(**changes)
            self.assertTrue(failure.invalid_request, changes)
            self.assertIn(thing, failure.object)

    def test_failed_exec_names_step_object_and_errno(self):
        sandbox = self.launcher.sandbox(image=f"dir:{self.approved}/empty")
        reply, _ = self.launcher.call(spawn=pb.SpawnWorkerRequest(sandbox=sandbox.id,
                                                                  incarnation=1))
        self.assertEqual((reply.failure.step, reply.failure.object, reply.failure.errno_value),
                         ("exec python", "/usr/bin/python3", ENOENT))

    def test_image_with_links_in_place_of_mount_points_is_contained(self):
        image = os.path.join(self.approved, "links")
        victim = os.path.join(self.run_dir, "victim")
        os.makedirs(image)
        os.makedirs(victim)
        for name in ("work", "proc", "dev", "tmp", "opt", "etc", "home"):
            os.symlink(victim, os.path.join(image, name))
        self.launcher.sandbox(image=f"dir:{image}")
        self.assertEqual(os.listdir(victim), [])

    def test_reserved_environment_is_refused(self):
        sandbox = self.launcher.sandbox()
        for name in ("LD_PRELOAD", "PYTHONPATH", "A=B", ""):
            reply, _ = self.launcher.call(spawn=pb.SpawnWorkerRequest(
                sandbox=sandbox.id, incarnation=1, environment={name: "x"}))
            self.assertTrue(reply.failure.invalid_request, name)

    def test_incarnations_only_rise(self):
        sandbox = self.launcher.sandbox()
        sandbox.worker(incarnation=2)
        reply, _ = self.launcher.call(spawn=pb.SpawnWorkerRequest(sandbox=sandbox.id,
                                                                  incarnation=2))
        self.assertTrue(reply.failure.invalid_request)

    def test_unknown_sandbox_is_refused(self):
        reply, _ = self.launcher.call(destroy=pb.DestroySandboxRequest(sandbox=99))
        self.assertTrue(reply.failure.invalid_request)


class Lifetime(LauncherCase):
    def groups(self):
        root = "/sys/fs/cgroup" if os.path.exists("/sys/fs/cgroup/cgroup.procs") else \
            "/sys/fs/cgroup/unified"
        return [name for name in os.listdir(root) if name.startswith("cellblock-")] \
            if os.path.isdir(root) else []

    def test_destroy_leaves_nothing_and_says_so(self):
        launcher = self.launch()
        sandbox = launcher.sandbox()
        worker = sandbox.worker()
        wiped = sandbox.destroy()
        self.assertTrue(wiped.mounts_gone and wiped.cgroup_removed and wiped.uids_released)
        self.assertEqual(wiped.processes_left, 0)
        self.assertTrue(gone(worker.pidfd) and gone(sandbox.pidfd))

    def test_daemons_death_ends_everything(self):
        launcher = self.launch()
        sandbox = launcher.sandbox()
        worker = sandbox.worker()
        before = set(self.groups())
        self.assertEqual(launcher.close(), 0)
        self.assertTrue(gone(worker.pidfd) and gone(sandbox.pidfd))
        self.assertEqual(os.listdir(os.path.join(self.run_dir, "runs")), [])
        self.assertLess(len(set(self.groups())), max(len(before), 1))

    def test_launchers_death_ends_every_sandbox_and_the_next_one_cleans_up(self):
        first = self.launch()
        sandbox = first.sandbox()
        worker = sandbox.worker()
        first.process.kill()
        first.process.wait()
        self.assertTrue(gone(sandbox.pidfd) and gone(worker.pidfd))
        self.assertEqual(len(os.listdir(os.path.join(self.run_dir, "runs"))), 1)
        hello, _ = self.launch().call(hello=pb.HelloRequest())
        self.assertGreaterEqual(hello.hello.leftovers_removed, 1)
        self.assertEqual(os.listdir(os.path.join(self.run_dir, "runs")), [hello.hello.run_id])

    def test_a_live_run_is_never_touched(self):
        first = self.launch()
        sandbox = first.sandbox()
        hello, _ = self.launch().call(hello=pb.HelloRequest())
        self.assertEqual(hello.hello.leftovers_removed, 0)
        self.assertEqual(sandbox.worker().eval("1 + 1"), "2")

    def test_two_launchers_never_share_uids(self):
        sandboxes = [self.launch().sandbox() for _ in range(2)]
        uids = {status_of(sandbox.init_pid)["Uid"].split()[0] for sandbox in sandboxes}
        self.assertEqual(len(uids), 2)

    def test_killed_init_ends_the_sandbox_and_is_news(self):
        launcher = self.launch()
        sandbox = launcher.sandbox()
        worker = sandbox.worker()
        os.kill(sandbox.init_pid, signal.SIGKILL)
        event = launcher.await_event()
        self.assertEqual((event.sandbox, event.kind), (sandbox.id, pb.LauncherEvent.INIT_EXITED))
        self.assertTrue(gone(worker.pidfd))
        self.assertTrue(sandbox.destroy().cgroup_removed)

    def test_wait_status_reaches_the_daemon(self):
        sandbox = self.launch().sandbox()
        worker = sandbox.worker()
        worker.control.send(b"__import__('os')._exit(7)")
        report = sandbox.message()
        self.assertEqual((report["kind"], report["pid"], os.waitstatus_to_exitcode(report["value"])),
                         (3, worker.pid, 7))

    def test_memory_above_the_limit_is_ended_with_news_where_nothing_else_would(self):
        launcher = self.launch()
        memory = [f for f in launcher.call(hello=pb.HelloRequest())[0].hello.facilities
                  if f.name == "memory"][0]
        if memory.enforcement == 1:
            self.skipTest("the kernel enforces memory here; tests/vm covers it")
        sandbox = launcher.sandbox(limits=limits(memory_bytes=64 << 20))
        worker = sandbox.worker()
        # Shared memory is not data in the sense of RLIMIT_DATA: only the watchdog sees it.
        worker.control.send(b"(lambda m: (m.write(b'x' * (40 << 20)), m.write(b'x' * (40 << 20)),"
                            b"m.write(b'x' * (40 << 20)), __import__('time').sleep(20)))"
                            b"(__import__('mmap').mmap(-1, 128 << 20))")
        event = launcher.await_event()
        self.assertEqual(event.kind, pb.LauncherEvent.MEMORY_WATCHDOG)
        self.assertGreater(event.bytes, 64 << 20)
        self.assertTrue(gone(worker.pidfd))
        self.assertEqual(sandbox.worker(incarnation=2).eval("1 + 1"), "2")

    def test_nothing_grows_over_many_sandboxes(self):
        launcher = self.launch()

        def count():
            pid = launcher.process.pid
            with open(f"/proc/{pid}/mountinfo") as lines:
                mounts = len(lines.readlines())
            return len(os.listdir(f"/proc/{pid}/fd")), mounts

        counts = []
        for _ in range(30):
            sandbox = launcher.sandbox()
            worker = sandbox.worker()
            sandbox.destroy()
            for fd in (sandbox.pidfd, *sandbox.group_fds, worker.pidfd, worker.stdout,
                       worker.stderr, *worker.group_fds):
                os.close(fd)
            sandbox.init.close()
            worker.control.close()
            counts.append(count())
        self.assertEqual(counts[2], counts[-1])

    def test_host_sees_no_mount(self):
        with open("/proc/self/mountinfo") as lines:
            before = lines.read()
        self.launch().sandbox().worker()
        with open("/proc/self/mountinfo") as lines:
            self.assertEqual(lines.read(), before)


class RequiredMode(LauncherCase):
    def test_refuses_and_names_what_is_missing(self):
        with open("/proc/self/cgroup") as lines:
            if not any(re.match(r"\d+:[^:]*memory", line) for line in lines):
                self.skipTest("the memory controller is not bound to cgroup v1 here")
        launcher = Launcher(self.run_dir, stderr=subprocess.PIPE,
                            cgroup_mode=pb.LauncherConfig.REQUIRED)
        _, text = launcher.process.communicate(timeout=20)
        self.assertEqual(launcher.process.returncode, 1)
        self.assertIn(b"memory", text)
        self.assertIn(b"BEST_EFFORT", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
