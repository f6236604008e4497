"""Create, execute, delete, many times: descriptors, mounts, processes, groups and memory stay flat.

CELLBLOCK_CYCLES says how many; the slopes are printed.
"""
import os
import time
import unittest
from concurrent import futures

from faults import Daemon, descendants

CYCLES = int(os.environ.get("CELLBLOCK_CYCLES", "100"))
WARM_UP = 20




class Cycles(unittest.TestCase):
    def measure(self, daemon):
        launcher = daemon.launcher_pid()
        with open(f"/proc/{launcher}/mountinfo") as lines:
            mounts = len(lines.readlines())
        with open(f"/proc/{launcher}/statm") as file:
            launcher_memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        run = os.path.join(daemon.run_dir, "runs", daemon.runs()[0])
        with open("/proc/self/mountinfo") as lines:
            host_mounts = len(lines.readlines())
        return {
            "daemon descriptors": len(os.listdir(f"/proc/{daemon.process.pid}/fd")),
            "launcher descriptors": len(os.listdir(f"/proc/{launcher}/fd")),
            "daemon threads": len(os.listdir(f"/proc/{daemon.process.pid}/task")),
            "launcher mounts": mounts,
            "host mounts": host_mounts,
            "processes": len(descendants(daemon.process.pid)),
            "processes of the uids": len(daemon.own_processes()),
            "files of the run": sum(len(files) + len(folders) for _, folders, files in os.walk(run)),
            "groups": self.session_groups(daemon),
            "daemon memory": daemon.resident_bytes(),
            "launcher memory": launcher_memory,
        }

    @staticmethod
    def session_groups(daemon):
        name = "cellblock-" + daemon.runs()[0]
        for pid in [daemon.launcher_pid()]:
            for line in open(f"/proc/{pid}/mountinfo"):
                fields = line.split()
                path = os.path.join(f"/proc/{pid}/root" + fields[4], name)
                if fields[fields.index("-") + 1] == "cgroup2" and os.path.isdir(path):
                    return sum(entry.is_dir() for entry in os.scandir(path))
        return 0

    def work(self, daemon, cycles):
        for _ in range(cycles):
            session = daemon.session()
            self.assertEqual(session.stdout("x = bytearray(1 << 20); print(1)"), b"1\n")
            session.upload(b"a", b"a" * 100000)
            receipt = session.delete()
            self.assertEqual(receipt.processes_left, 0)
            self.assertTrue(receipt.mounts_gone and receipt.cgroup_removed
                            and receipt.uids_released)

    def run_cycles(self, daemon, cycles):
        """Two clients at a time; then what is there is measured."""
        with futures.ThreadPoolExecutor(2) as clients:
            for share in [clients.submit(self.work, daemon, cycles // 2) for _ in range(2)]:
                share.result()
        time.sleep(1)
        return self.measure(daemon)

    def test_nothing_grows(self):
        with Daemon() as daemon:
            first = self.run_cycles(daemon, WARM_UP)
            began = time.monotonic()
            cycles = CYCLES - WARM_UP
            last = self.run_cycles(daemon, cycles)
            seconds = time.monotonic() - began
            print(f"\n{seconds / cycles * 1000:.0f} ms a cycle; growth over {cycles}, per cycle:")
            for name, value in first.items():
                print(f"  {name:24} {value:>12} -> {last[name]:>12}  "
                      f"{(last[name] - value) / cycles:+.2f}")
            for name, value in first.items():
                if name.endswith("memory"):
                    self.assertLess((last[name] - value) / cycles, 20_000, name)
                elif name != "host mounts":  # others may mount meanwhile
                    self.assertLessEqual(last[name], value + 2, name)


if __name__ == "__main__":
    unittest.main()
