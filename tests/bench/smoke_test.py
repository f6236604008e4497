"""Runs cellblock-bench with the smallest counts: it must measure everything. smoke_test.py PROGRAM"""
import json
import os
import shutil
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else ""


class Smoke(unittest.TestCase):
    def test_every_number_is_there(self):
        done = subprocess.run(
            [PROGRAM, "--cold-rounds", "1", "--warm-rounds", "1", "--cells", "5",
             "--transfer-rounds", "1", "--mebibytes", "2"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        for name, peer in (("cold_session_ms", "bwrap_python"), ("warm_cell_us", "ipykernel")):
            self.assertGreater(report[name]["cellblock"]["p50"], 0)
            self.assertGreater(report[name][peer]["p50"], 0)
            self.assertGreater(report[name]["ratio_of_p50"], 0)
        for name in ("stdout", "stdout_flood", "upload", "download"):
            self.assertGreater(report["transfer_mb_per_s"][name]["p50"], 0)


if __name__ == "__main__":
    if not shutil.which("bwrap") and os.environ.get("CELLBLOCK_MUST_WORK", "0") == "0":
        print("SKIPPED: bwrap is not installed; tools/dev/install-packages test", file=sys.stderr)
        sys.exit(77)
    unittest.main(verbosity=2)
