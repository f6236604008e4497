"""cellblock policy check, explain, eval and diff: outputs, exit status and every kind of bad input."""
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("CELLBLOCK_BIN", os.path.join(ROOT, "build", "dev", "bin"))
POLICIES = os.path.join(ROOT, "policies")
SHIPPED = ("analyst-network", "base", "data-science", "python", "strict")
OK, DIFFERS, USAGE = 0, 1, 2

MINIMAL = """name: "own"
limits {
  memory_bytes: 1000000
  pids: 10
  disk_bytes: 1000000
  disk_inodes: 100
  shm_bytes: 4096
  open_files: 16
  file_size_bytes: 1000000
  stack_bytes: 100000
  max_cell_time { seconds: 1 }
  interrupt_grace { seconds: 1 }
}
output { keep_head_bytes: 1 keep_tail_bytes: 1 max_events: 1 }
"""


class Case(unittest.TestCase):
    def setUp(self):
        own = tempfile.TemporaryDirectory(prefix="cellblock-policy-")
        self.addCleanup(own.cleanup)
        self.folder = own.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def policy(self, *arguments, status=OK, **environment):
        variables = {**os.environ, **environment}
        if not environment:
            variables.pop("CELLBLOCK_POLICY_DIR", None)
        done = subprocess.run([os.path.join(BIN, "cellblock"), "policy", *arguments],
                              cwd=self.folder, env=variables, timeout=60, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr


class Check(Case):
    def test_shipped_policies_are_in_order(self):
        out = self.policy("check", *SHIPPED)
        self.assertEqual(out.count(" is in order: "), len(SHIPPED))
        self.policy("check", *(os.path.join(POLICIES, f"{name}.textproto") for name in SHIPPED))

    def test_all_findings_are_told_as_text_and_json(self):
        path = self.write("own.textproto", MINIMAL + 'syscalls {\n'
                          ' rules { calls: "read" }\n'
                          ' rules { reason: "r" calls: "raed" }\n}\n')
        out = self.policy("check", path, status=DIFFERS)
        self.assertEqual(out, f"{path}:16: syscalls.rules[0].reason: is empty: say why this is there\n"
                              f"{path}:17: syscalls.rules[1].calls[0]: no such system call: raed\n")
        entry, = json.loads(self.policy("check", "--json", path, status=DIFFERS))
        self.assertFalse(entry["ok"])
        self.assertEqual([(f["line"], f["field"]) for f in entry["findings"]],
                         [(16, "syscalls.rules[0].reason"), (17, "syscalls.rules[1].calls[0]")])
        good, = json.loads(self.policy("check", "--json", "strict"))
        self.assertEqual((good["name"], good["ok"], good["findings"]), ("strict", True, []))
        self.assertEqual([os.path.basename(file) for file in good["files"]],
                         ["base.textproto", "strict.textproto"])

    def test_bad_files_are_findings_and_no_crash(self):
        deep = b"limits {" * 100000
        for name, text, says in (
                ("empty", b"", "name: must be"),
                ("cut", MINIMAL.encode()[:-20], "column"),
                ("unknown", MINIMAL.encode() + b"nope: 1\n", '15: column 5: '),
                ("nul", MINIMAL.encode() + b"\0", "15: column"),
                ("latin", MINIMAL.encode() + b"description: '\xe4'", ":15: is not UTF-8"),
                ("huge", b" " * (10 << 20), "1 MiB"),
                ("deep", deep, "column"),
                ("random", bytes(range(256)) * 64, "UTF-8"),
                ("self", b'name: "self" extends: "self"', "circle"),
                ("orphan", b'name: "orphan" extends: "nobody"', "no nobody.textproto"),
                ("bad-replace", b'name: "bad-replace" extends: "python" replace: "limits.x"',
                 "no such part"),
                ("floor", MINIMAL.encode() + b'syscalls { rules { reason: "r" calls: "bpf" } }',
                 "no policy can allow it"),
                ("argument", MINIMAL.encode() + b'dangerous { syscalls { reason: "r" calls: "clone" } }',
                 "does not refuse")):
            with self.subTest(name):
                path = self.write(f"{name}.textproto", text)
                self.assertIn(says, self.policy("check", path, status=DIFFERS))
        for name, text, says in (
                ("open", b"{", "ends"),
                ("unknown", b'{"name": "x",\n"nope": 1}', "unknown.json:2: nope: "),
                ("twice", b'{"name": "x", "name": "y"}', "twice"),
                ("deep", b'{"a":' * 100000, "nested"),
                ("array", b"[]", "column"),
                ("string", b'{"limits": {"pids": "ten"}}', "ten")):
            with self.subTest(json=name):
                path = self.write(f"{name}.json", text)
                self.assertIn(says, self.policy("check", path, status=DIFFERS))

    def test_what_is_no_file(self):
        self.write("own.textproto", MINIMAL)
        os.symlink("own.textproto", os.path.join(self.folder, "link.textproto"))
        os.mkfifo(os.path.join(self.folder, "pipe.textproto"))
        os.mkdir(os.path.join(self.folder, "folder.textproto"))
        self.assertIn("symbolic link", self.policy("check", "./link.textproto", status=DIFFERS))
        self.assertIn("regular", self.policy("check", "./pipe.textproto", status=DIFFERS))
        self.assertIn("regular", self.policy("check", "./folder.textproto", status=DIFFERS))
        self.policy("check", "./none.textproto", status=USAGE)
        self.assertIn("no nobody.textproto", self.policy("check", "nobody", status=USAGE))
        self.policy("check", status=USAGE)

    def test_two_files_of_one_name(self):
        out = self.policy("check", self.write("a.textproto", MINIMAL),
                          self.write("b.textproto", MINIMAL), status=DIFFERS)
        self.assertIn("b.textproto:1: name: is that of ", out)

    def test_the_operators_ceiling(self):
        config = self.write("cellblockd.conf", "launcher { ceiling { pids: 100 } }")
        out = self.policy("check", "--config", config, "python", status=DIFFERS)
        self.assertIn("limits.pids: 256 is more than the operator's ceiling of 100", out)
        self.policy("check", "--config", config, "strict")
        self.policy("check", "--config", self.write("bad", "nope"), "strict", status=USAGE)
        self.policy("check", "--config", "none", "strict", status=USAGE)

    def test_installed_policies_may_lie_elsewhere(self):
        self.write("own.textproto", MINIMAL)
        self.policy("check", "own", CELLBLOCK_POLICY_DIR=self.folder)
        self.policy("check", "python", status=USAGE, CELLBLOCK_POLICY_DIR=self.folder)

    def test_a_file_may_extend_an_installed_policy(self):
        path = self.write("mine.textproto", 'name: "mine" extends: "python"')
        self.policy("check", path)


class Eval(Case):
    def test_verdicts_and_exit_status(self):
        for words, verdict in ((["read"], "ALLOW"), (["mount"], "EPERM"), (["clone3"], "ENOSYS"),
                               (["socket", "AF_INET"], "ALLOW"), (["socket", "16"], "EPERM"),
                               (["ioctl", "0", "0x100005412"], "EPERM"), (["1000"], "ENOSYS")):
            with self.subTest(words):
                out = self.policy("eval", "python", *words, status=OK if verdict == "ALLOW" else 1)
                self.assertEqual(out, verdict + "\n")

    def test_tables(self):
        for name in SHIPPED:
            out = self.policy("eval", name, "--table",
                              os.path.join(POLICIES, "tests", f"{name}.verdicts"))
            self.assertIn("verdicts are as wanted", out)
        table = self.write("t", "read EPERM\n")
        out = self.policy("eval", "python", "--table", table, status=DIFFERS)
        self.assertIn(f"{table}:1: read: wanted EPERM, the filter says ALLOW\n", out)
        self.assertIn("decides no line of the table", out)

    def test_wrong_usage(self):
        for words in (["raed"], ["read", "x"], ["socket", "FIONREAD"], ["read"] + ["0"] * 7, [],
                      ["--table", "none"], ["read", "--table", "none"]):
            with self.subTest(words):
                self.policy("eval", "python", *words, status=USAGE)
        self.policy("eval", "nobody", "read", status=USAGE)


class Explain(Case):
    def test_a_call_names_its_rule_file_and_line(self):
        out = self.policy("explain", "strict", "chown")
        self.assertIn("chown: EPERM\n", out)
        self.assertRegex(out, r"strict\.textproto:\d+ syscalls\.rules\[\d+\]\n")
        out = self.policy("explain", "strict", "openat")
        self.assertRegex(out, r"    base\.textproto:\d+ syscalls\.rules\[1\], group @file-system\n")

    def test_arguments(self):
        out = self.policy("explain", "python", "socket")
        self.assertIn("ALLOW when argument 0 is AF_UNIX, AF_INET or AF_INET6\n", out)
        self.assertIn("  EPERM otherwise\n", out)
        self.assertIn("no rule allows it with these arguments",
                      self.policy("explain", "python", "socket", "AF_NETLINK"))

    def test_every_call_has_a_verdict_and_a_reason(self):
        for name in SHIPPED:
            explanation = json.loads(self.policy("explain", name, "--json"))
            calls = {call["call"]: call for call in explanation["calls"]}
            self.assertGreater(len(calls), 350)
            for call in calls.values():
                by = call["decided_by"] if "decided_by" in call else call["rules"][0]
                self.assertTrue(by["reason"], call)
                if call["verdict"] == "ALLOW":
                    self.assertRegex(by["place"], r"^[a-z-]+\.textproto:[1-9]\d*$")
            self.assertEqual(calls["mount"]["verdict"], "EPERM")

    def test_the_policy_as_a_whole(self):
        out = self.policy("explain", "strict")
        self.assertRegex(out, r"limits\.memory_bytes +536870912 \(512\.0 MiB\) +strict\.textproto:\d+\n")
        self.assertRegex(out, r"limits\.stack_bytes .* base\.textproto:\d+\n")
        self.assertIn("made of base.textproto strict.textproto\n", out)
        self.assertIn("    0  load architecture\n", self.policy("explain", "strict", "--bpf"))

    def test_dangers_come_first(self):
        path = self.write("own.textproto", MINIMAL + 'dangerous { syscalls { reason: "why not" '
                                                     'calls: "ioctl" } }')
        self.assertIn("DANGEROUS, beyond what is recommended:\n  ioctl\n    why not\n",
                      self.policy("explain", path))

    def test_paths(self):
        self.assertIn("writable", self.policy("explain", "python", "/work/x"))
        self.assertIn("cannot be run", self.policy("explain", "base", "/tmp"))
        self.assertIn("not there", self.policy("explain", "python", "/sys/kernel"))
        self.assertIn("read-only", self.policy("explain", "python", "/usr/bin/python3"))
        self.policy("explain", "python", "/work/../etc", status=USAGE)

    def test_hosts(self):
        allowed = self.policy("explain", "analyst-network", "www.ec.europa.eu:443")
        self.assertIn("allowed\n  by *.ec.europa.eu:443\n", allowed)
        self.assertIn("allowed at port 443", self.policy("explain", "analyst-network", "pypi.org:80"))
        self.assertIn("only loopback", self.policy("explain", "python", "pypi.org"))
        self.policy("explain", "python", "pypi.org:99999", status=USAGE)

    def test_wrong_usage(self):
        self.policy("explain", "python", "raed", status=USAGE)
        self.policy("explain", "nobody", status=USAGE)
        self.policy("explain", status=USAGE)


class Diff(Case):
    def test_the_same_says_nothing(self):
        for name in SHIPPED:
            self.assertEqual(self.policy("diff", name, name), "")
        with open(os.path.join(POLICIES, "python.textproto")) as file:
            text = file.read()
        # Other words, other order, the same effect.
        renamed = self.write("own.textproto", text.replace('name: "python"', 'name: "own"').replace(
            "values: 1 values: 2 values: 10", "values: 10 values: 2 values: 1"))
        self.assertEqual(self.policy("diff", "python", renamed), "")

    def test_calls_arguments_limits_and_hosts(self):
        a = self.write("own.textproto", MINIMAL + 'syscalls {\n rules { reason: "r" calls: "ioctl"'
                       ' when { argument: 1 comparison: ONE_OF names: "FIONREAD" names: "FIONBIO" } }'
                       ' rules { reason: "r" calls: "read" } }')
        b = self.write("other.textproto", MINIMAL.replace("pids: 10", "pids: 11") +
                       'syscalls { rules { reason: "r" calls: "ioctl" when { argument: 1'
                       ' comparison: ONE_OF names: "FIONREAD" names: "FIOCLEX" } } }'
                       'network { allow { reason: "r" host: "pypi.org:443" } }')
        expected = {"- syscalls read: ALLOW -> EPERM",
                    "- syscalls ioctl(argument 1 = FIONBIO): ALLOW -> EPERM",
                    "+ syscalls ioctl(argument 1 = FIOCLEX): EPERM -> ALLOW",
                    "+ limits.pids: 10 -> 11", "+ network.allow pypi.org:443: no -> yes"}
        self.assertEqual(set(self.policy("diff", a, b, status=DIFFERS).splitlines()), expected)
        found = json.loads(self.policy("diff", "--json", b, a, status=DIFFERS))
        self.assertEqual(len(found), len(expected))
        self.assertIn({"part": "network.allow", "what": "pypi.org:443", "a": "yes", "b": "no",
                       "change": "-"}, found)

    def test_bits_that_a_mask_looks_at(self):
        flags = ' rules { reason: "r" calls: "clone" when { argument: 0 comparison: MASKED_EQUAL%s } }'
        spaces = "".join(f' mask_names: "CLONE_NEW{name}"'
                         for name in ("NS", "CGROUP", "UTS", "IPC", "USER", "PID", "NET"))
        a = self.write("a.textproto", MINIMAL + "syscalls {" + flags % spaces + "}")
        b = self.write("b.textproto", MINIMAL + "syscalls {"
                       + flags % (spaces + ' mask_names: "CLONE_VFORK"') + "}")
        self.assertEqual(self.policy("diff", a, b, status=DIFFERS),
                         "- syscalls clone(argument 0 = CLONE_VFORK): ALLOW -> EPERM\n")

    def test_wrong_usage(self):
        self.policy("diff", "python", status=USAGE)
        self.policy("diff", "python", "nobody", status=USAGE)
        self.policy("diff", "python", self.write("x.textproto", "nope"), status=USAGE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
