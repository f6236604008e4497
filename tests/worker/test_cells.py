"""Runs every case of tests/cells on a worker outside a sandbox.

test_cells.py [NAME...] runs the named cases only.
"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cells"))

import expectations  # noqa: E402
from worker_process import Worker  # noqa: E402


def run_case(case, folder):
    """One result per cell; a cell that ended its interpreter is followed by a new one."""
    incarnation = 1
    worker = Worker(folder, incarnation)
    results = []
    try:
        for cell in case.cells:
            if results and results[-1]["result"]["state"] == "LOST":
                worker.close()
                incarnation += 1
                worker = Worker(folder, incarnation)
            results.append(
                worker.run(
                    cell.code,
                    silent=cell.silent,
                    name=cell.name,
                    inputs=cell.inputs,
                    interrupts=cell.interrupts,
                    expressions=cell.expressions,
                    max_display_bytes=cell.max_display_bytes,
                )
            )
    finally:
        worker.close()
    return results


class Cells(unittest.TestCase):
    pass


def _add(name):
    def test(self):
        case = expectations.load(name)
        with tempfile.TemporaryDirectory() as folder:
            failures = expectations.check(case, run_case(case, folder))
        if failures:
            self.fail("\n" + "\n".join(failures))

    setattr(Cells, "test_" + name, test)


def load_tests(loader, _tests, _pattern):
    suite = unittest.TestSuite()
    suite.addTests(loader.loadTestsFromTestCase(Cells))
    return suite


_names = [word for word in sys.argv[1:] if not word.startswith("-")]
for _name in _names or expectations.case_names():
    _add(_name)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [w for w in sys.argv[1:] if w.startswith("-")])
