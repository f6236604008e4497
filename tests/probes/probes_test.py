"""Runs every probe of cells/ in a session: each must print CONTAINED last. probes_test.py [NAME...]

A probe tries what a sandbox must refuse; prelude.py, which runs before it, says how to write one.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from support import DaemonTest, outcome, text_of  # noqa: E402


def read(path):
    with open(os.path.join(HERE, path)) as file:
        return file.read()


class Probes(DaemonTest):
    session = None

    def run_probe(self, code):
        """What the probe's last line says."""
        cls = type(self)
        if cls.session is None:
            cls.session = self.daemon.session()
        events = cls.session.events(read("prelude.py") + code, timeout={"seconds": 60})
        lines = text_of(events).decode(errors="replace").splitlines()
        self.assertEqual(outcome(events[-1].result), "OK", events[-1].result.error.traceback)
        self.assertTrue(lines, "the probe said nothing")
        return lines[-1]

    def test_probes_can_fail(self):
        for code in ("refused('getpid', 39)", "fails('stat', lambda: os.stat('/'))",
                     "expect('truth', False)", "refused('close', 3, -1)",
                     "fails('open', lambda: open('/missing'), ('EACCES',))"):
            self.assertRegex(self.run_probe(code + "\nverdict()"), "^ESCAPED")
        self.assertEqual(self.run_probe("expect('truth', True)\nverdict()"), "CONTAINED ")


def add(name):
    def test(self):
        self.assertRegex(self.run_probe(read(f"cells/{name}.py")), "^CONTAINED")
    setattr(Probes, "test_" + name, test)


names = [word for word in sys.argv[1:] if not word.startswith("-")]
for probe in names or sorted(f[:-3] for f in os.listdir(os.path.join(HERE, "cells"))):
    add(probe)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [w for w in sys.argv[1:] if w.startswith("-")])
