"""Real limits on a real cgroup v2 host. Runs as root in the guest that tests/vm/run boots; drives
cellblockd through the cellblock command."""
import base64
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

BIN = os.environ["CELLBLOCK_BIN"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CGROUPS = "/sys/fs/cgroup"
MIB = 1 << 20
MEMORY, DISK, PIDS, CPU_MILLIS = 256 * MIB, 64 * MIB, 48, 200


def small_policy():
    with open(os.path.join(ROOT, "policies", "python.textproto")) as file:
        text = file.read()
    for field, value in (("memory_bytes", MEMORY), ("disk_bytes", DISK), ("pids", PIDS),
                         ("cpu_millis", CPU_MILLIS)):
        text, count = re.subn(rf"\b{field}: \d+", f"{field}: {value}", text)
        assert count == 1, field
    return text.replace('name: "python"', 'name: "small"')


class Daemon:
    def __init__(self, folder, mode="REQUIRED", cgroup_root=""):
        self.folder = folder
        policies = os.path.join(folder, "policies")
        os.makedirs(policies, exist_ok=True)
        with open(os.path.join(policies, "small.textproto"), "w") as file:
            file.write(small_policy())
        unlimited = small_policy().replace("cpu_millis: 200", "cpu_millis: 0").replace(
            'name: "small"', 'name: "python"')
        with open(os.path.join(policies, "python.textproto"), "w") as file:
            file.write(unlimited)
        os.chmod(folder, 0o755)
        config = os.path.join(folder, "config")
        with open(config, "w") as file:
            file.write(f'policy_dir: "{policies}" no_image_cache: true\n'
                       f'launcher {{ run_dir: "{folder}/run" cgroup_mode: {mode} '
                       f'cgroup_root: "{cgroup_root}" host_image: true }}\n')
        self.socket = os.path.join(folder, "sock", "cellblockd.sock")
        self.log = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "cellblockd"), "--config", config, "--socket", self.socket,
             "--state_dir", os.path.join(folder, "state")], stderr=self.log)

    def wait_until_serving(self):
        for _ in range(600):
            if self.process.poll() is not None:
                break
            if os.path.exists(self.socket) and cli(self, "session", "list").returncode == 0:
                return self
            time.sleep(0.1)
        self.log.seek(0)
        raise AssertionError("the daemon does not serve:\n" + self.log.read())

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        finally:
            self.process.kill()
            self.log.close()


def cli(daemon, *words, **options):
    options.setdefault("timeout", 240)
    return subprocess.run([os.path.join(BIN, "cellblock"), *words],
                          env={**os.environ, "CELLBLOCK_SERVER": "unix:" + daemon.socket},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


class Session:
    def __init__(self, daemon, policy="python"):
        self.daemon = daemon
        made = cli(daemon, "session", "create", "--policy", policy, "--json")
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        self.facts = json.loads(made.stdout)
        self.id = self.facts["id"]

    def run(self, code):
        """The events of one cell, the result last."""
        done = cli(self.daemon, "session", "exec", self.id, "-", "--json", input=code)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        if not events or "result" not in events[-1]:
            raise AssertionError(done.stdout + done.stderr)
        return events

    def result(self, code):
        return self.run(code)[-1]["result"]

    def stdout(self, code):
        data = b"".join(base64.b64decode(event["output"].get("data", ""))
                        for event in self.run(code) if "output" in event)
        return data.decode()

    def delete(self):
        return cli(self.daemon, "session", "delete", self.id)


def our_groups():
    return [name for name in os.listdir(CGROUPS) if name.startswith("cellblock-")]


def session_groups():
    """Folders of the sessions' groups; each holds one for init."""
    return [folder for run in our_groups() for folder, below, _ in os.walk(os.path.join(CGROUPS, run))
            if "init" in below]


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read().strip()


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir="/root")
        os.chmod("/root", 0o755)
        cls.daemon = Daemon(cls.folder.name)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.daemon.stop)
        cls.daemon.wait_until_serving()
        cls.neighbour = Session(cls.daemon)

    def setUp(self):
        self.session = Session(self.daemon)
        self.addCleanup(self.session.delete)

    def check_neighbour(self):
        self.assertEqual(self.neighbour.stdout("print(6 * 7)").strip(), "42")

    def check_oom(self, result):
        self.assertEqual(result["outcome"], "OOM", result)
        self.assertEqual(result["state"], "LOST")
        self.assertEqual(result["files"], "KEPT")
        self.assertGreater(int(result["usage"]["peakMemoryBytes"]), MEMORY // 2)
        self.assertTrue(any(event["limit"] == "memory" for event in result["limitEvents"]))
        self.check_neighbour()
        again = self.session.result("1 + 1")
        self.assertEqual(again["outcome"], "OK")
        self.assertEqual(int(again["epoch"]), int(result["epoch"]))

    def test_limits_are_read_back_equal(self):
        before = set(session_groups())
        limited = Session(self.daemon, "small")
        self.addCleanup(limited.delete)
        facts = {item["name"]: item for item in limited.facts["capabilities"]}
        for name in ("memory", "pids", "cpu"):
            self.assertEqual(facts[name]["enforcement"], "KERNEL", facts)
        self.assertEqual(facts["memory"]["value"], str(MEMORY + DISK))
        self.assertEqual(facts["pids"]["value"], str(PIDS))
        self.assertEqual(facts["cpu"]["value"], "20000 100000")
        # And what the session says is what the kernel has.
        (group,) = set(session_groups()) - before
        for name in ("memory", "pids", "cpu"):
            self.assertEqual(read(group, name + ".max"), facts[name]["value"])
        if os.path.exists(os.path.join(group, "memory.swap.max")):  # a kernel with swap
            self.assertEqual(read(group, "memory.swap.max"), "0")

    def test_anonymous_memory_ends_as_oom(self):
        self.check_oom(self.session.result("x = []\nwhile True: x.append(bytearray(8 << 20))"))

    def test_shared_memory_ends_as_oom(self):
        self.check_oom(self.session.result(
            "import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor i in range(1024): m.write(b'x' * (1 << 20))"))

    def test_memfd_ends_as_oom(self):
        self.check_oom(self.session.result(
            "import os\nf = os.memfd_create('x')\nfor i in range(1024): os.write(f, b'x' * (1 << 20))"))

    def test_a_childs_memory_is_the_cells(self):
        self.check_oom(self.session.result(
            "import subprocess\nsubprocess.run(['python3', '-c', "
            "'x = []\\nwhile True: x.append(bytearray(8 << 20))'])\nprint('went on')"))

    def test_full_disk_is_an_error_not_a_kill(self):
        for place in ("/work", "/tmp", "/home/cell"):
            result = self.session.result(
                f"with open('{place}/big', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))")
            self.assertEqual((result["outcome"], result["cause"]), ("EXCEPTION", "DISK_FULL"))
            self.assertEqual(self.session.result(f"import os; os.remove('{place}/big')")["outcome"],
                             "OK")
        self.check_neighbour()

    def test_full_dev_shm_is_an_error_or_oom(self):
        result = self.session.result(
            "with open('/dev/shm/big', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))")
        self.assertIn(result["outcome"], ("EXCEPTION", "OOM"))
        self.check_neighbour()

    def test_fork_bomb_stops_at_the_limit_and_the_session_recovers(self):
        result = self.session.result(
            "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(1000)")
        self.assertEqual((result["outcome"], result["cause"]), ("EXCEPTION", "PIDS"), result)
        self.assertTrue(any(event["limit"] == "pids" for event in result["limitEvents"]))
        self.check_neighbour()
        killed = self.session.result("import os; os._exit(1)")
        self.assertEqual(killed["outcome"], "EXITED")
        self.assertEqual(self.session.stdout(
            "import subprocess; print(subprocess.run(['echo', 'ok'], capture_output=True).stdout)"
        ).strip(), repr(b"ok\n"))

    def test_cpu_limit_holds(self):
        limited = Session(self.daemon, "small")
        self.addCleanup(limited.delete)
        result = limited.result(
            "import time\nend = time.monotonic() + 4\nwhile time.monotonic() < end: pass")
        self.assertEqual(result["outcome"], "OK")
        used = float(result["usage"]["cpu"].rstrip("s"))
        wall = float(result["usage"]["wall"].rstrip("s"))
        self.assertGreater(wall, 2)
        # Within 5 % of the limit; a cell may begin in the middle of a period of 0.1 s.
        allowed = CPU_MILLIS / 1000 * wall
        self.assertLess(abs(used - allowed), 0.05 * allowed, (used, wall))

    def test_deleted_session_leaves_no_group(self):
        run = our_groups()[0]
        before = set(os.listdir(os.path.join(CGROUPS, run)))
        session = Session(self.daemon)
        session.result("import os, time\nfor i in range(5):\n    if os.fork() == 0: time.sleep(1000)")
        self.assertEqual(session.delete().returncode, 0)
        self.assertEqual(set(os.listdir(os.path.join(CGROUPS, run))), before)


class LifeAndDeath(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir="/root")
        self.addCleanup(self.folder.cleanup)
        os.chmod("/root", 0o755)

    def test_required_mode_names_what_is_missing(self):
        # A group whose parent hands no controllers on.
        bare = os.path.join(CGROUPS, "bare", "below")
        os.makedirs(bare)
        self.addCleanup(os.rmdir, os.path.dirname(bare))
        self.addCleanup(os.rmdir, bare)
        daemon = Daemon(self.folder.name, cgroup_root="bare/below")
        self.assertNotEqual(daemon.process.wait(timeout=60), 0)
        daemon.log.seek(0)
        text = daemon.log.read()
        daemon.log.close()
        self.assertIn("memory", text)
        self.assertIn("Delegate", text)

    def test_killed_daemon_leaves_no_process_and_the_next_start_no_group(self):
        daemon = Daemon(self.folder.name).wait_until_serving()
        session = Session(daemon)
        with subprocess.Popen([os.path.join(BIN, "cellblock"), "session", "exec", session.id, "-"],
                              env={**os.environ, "CELLBLOCK_SERVER": "unix:" + daemon.socket},
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as client:
            client.stdin.write(b"while True: pass")
            client.stdin.close()
            time.sleep(3)
            daemon.process.send_signal(signal.SIGKILL)
            daemon.process.wait()
            client.wait(timeout=60)
        daemon.log.close()
        for _ in range(100):
            left = subprocess.run(["pgrep", "-f", "cellblock-(init|launcher)|/opt/cellblock/worker"],
                                  stdout=subprocess.PIPE).stdout
            if not left:
                break
            time.sleep(0.1)
        self.assertEqual(left, b"")
        again = Daemon(self.folder.name).wait_until_serving()
        self.assertEqual(len(our_groups()), 1)
        again.stop()
        self.assertEqual(our_groups(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
