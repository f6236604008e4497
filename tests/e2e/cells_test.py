"""Runs every case of tests/cells against the real daemon. cells_test.py [NAME...]: only those."""
import os
import sys
import unittest
import uuid

from daemon import (Daemon, ROOT, cell_pb2, interrupt_later, neutral, neutral_result, runtime_pb2)

sys.path.insert(0, os.path.join(ROOT, "tests", "cells"))
import expectations  # noqa: E402

# Of no outcome by design: kinds of event that a client sees and a bare worker does not send.
CLIENT_EVENTS = ("progress", "state", "result", "gap")


def tell_cause(events, cause):
    """A client learns what the worker claimed of an exception as the result's cause."""
    errors = [event for event in events if event["type"] == "error"]
    if errors:
        errors[-1]["memory"] = cause == cell_pb2.MEMORY
        errors[-1]["disk_full"] = cause == cell_pb2.DISK_FULL
        errors[-1]["no_processes"] = cause == cell_pb2.PIDS


def run_cell(session, cell):
    execution_id = uuid.uuid4().hex
    stream = session.start(cell.code, execution_id=execution_id, silent=cell.silent,
                           name=cell.name, offer_input=cell.inputs is not None,
                           user_expressions=cell.expressions)
    inputs = list(cell.inputs or ())
    events = []
    for event in stream:
        kind = event.WhichOneof("event")
        if kind == "result":
            tell_cause(events, event.result.cause)
            return {"events": events, "result": neutral_result(event.result)}
        if kind == "started":
            interrupt_later(session, execution_id, cell.interrupts)
        if kind == "input_request":
            reply = runtime_pb2.ProvideInputRequest(session_id=session.id,
                                                    execution_id=execution_id)
            if inputs:
                reply.text = inputs.pop(0).encode()
            else:
                reply.end_of_file = True
            session.stub.ProvideInput(reply)
        if kind not in CLIENT_EVENTS:
            events.append(neutral(event))
    raise AssertionError("the stream ended without a result")


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)


def add(name):
    def test(self):
        case = expectations.load(name)
        if any(cell.max_display_bytes for cell in case.cells):
            return  # a limit between daemon and worker that no client sets
        session = self.daemon.session()
        self.addCleanup(session.delete)
        failures = expectations.check(case, [run_cell(session, cell) for cell in case.cells])
        if failures:
            self.fail("\n" + "\n".join(failures))

    setattr(Cells, "test_" + name, test)


names = [word for word in sys.argv[1:] if not word.startswith("-")]
for case_name in names or expectations.case_names():
    add(case_name)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [w for w in sys.argv[1:] if w.startswith("-")])
