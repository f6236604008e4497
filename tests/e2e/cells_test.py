"""Runs every case of tests/cells against the real daemon. cells_test.py [NAME...]: only those."""
import os
import sys
import unittest

from support import DaemonTest, ROOT, cell_pb2, later, new_id, outcome

sys.path.insert(0, os.path.join(ROOT, "tests", "cells"))
import expectations  # noqa: E402

# Kinds of event that a client sees and a bare worker does not send.
CLIENT_EVENTS = ("progress", "state", "result", "gap")


def bundle_of(bundle):
    return {"data": dict(bundle.data), "metadata_json": bundle.metadata_json,
            "omitted": list(bundle.omitted)}


def error_of(error):
    return {"name": error.name, "value": error.value, "traceback": error.traceback,
            "traceback_ansi": error.traceback_ansi, "line": error.line, "column": error.column,
            "frames": [{"file": frame.file, "function": frame.function, "line": frame.line,
                        "source": frame.source, "user_code": frame.user_code}
                       for frame in error.frames]}


def neutral(event):
    """An ExecuteEvent as the dict that tests/cells/README.md describes."""
    kind = event.WhichOneof("event")
    body = getattr(event, kind)
    if kind == "started":
        return {"type": "started", "execution_count": body.execution_count}
    if kind == "output":
        return {"type": "output", "data": body.data, "late": body.late,
                "stream": "stdout" if body.stream == cell_pb2.STDOUT else "stderr"}
    if kind == "display":
        return {"type": "display", **bundle_of(body.bundle), "display_id": body.display_id,
                "update": body.update}
    if kind == "value":
        return {"type": "value", **bundle_of(body.bundle), "execution_count": body.execution_count}
    if kind == "clear_output":
        return {"type": "clear_output", "wait": body.wait}
    if kind == "error":
        return {"type": "error", **error_of(body)}
    if kind == "input_request":
        return {"type": "input_request", "prompt": body.prompt, "password": body.password}
    raise AssertionError(f"an event of a new kind: {kind}")


def neutral_result(result):
    expressions = {}
    for name, value in result.user_expressions.items():
        expressions[name] = (bundle_of(value.value) if value.WhichOneof("result") == "value"
                             else {"error": error_of(value.error)})
    return {"outcome": outcome(result), "exit_status": result.exit_status,
            "signal": result.signal, "execution_count": result.execution_count,
            "state": cell_pb2.StateFate.Name(result.state), "user_expressions": expressions}


def tell_cause(events, cause):
    """A client learns what the worker claimed of an exception as the result's cause."""
    errors = [event for event in events if event["type"] == "error"]
    if errors:
        errors[-1]["memory"] = cause == cell_pb2.MEMORY
        errors[-1]["disk_full"] = cause == cell_pb2.DISK_FULL
        errors[-1]["no_processes"] = cause == cell_pb2.PIDS


def run_cell(session, cell):
    execution_id = new_id()
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
            for delay in cell.interrupts:
                later(delay, lambda: session.interrupt(execution_id))
        if kind == "input_request":
            text = inputs.pop(0).encode() if inputs else b""
            session.provide_input(execution_id, text, end_of_file=not text)
        if kind not in CLIENT_EVENTS:
            events.append(neutral(event))
    raise AssertionError("the stream ended without a result")


class Cells(DaemonTest):
    pass


def add(name):
    def test(self):
        case = expectations.load(name)
        if any(cell.max_display_bytes for cell in case.cells):
            self.skipTest("a limit between daemon and worker that no client sets")
        session = self.new_session()
        failures = expectations.check(case, [run_cell(session, cell) for cell in case.cells])
        if failures:
            self.fail("\n" + "\n".join(failures))

    setattr(Cells, "test_" + name, test)


names = [word for word in sys.argv[1:] if not word.startswith("-")]
for case_name in names or expectations.case_names():
    add(case_name)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [w for w in sys.argv[1:] if w.startswith("-")])
