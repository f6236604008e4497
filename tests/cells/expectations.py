"""Cell tests as data: NAME.py holds cells, NAME.expect what must come of them (see README.md).

load(path) reads both files; check(case, results) compares. Nothing here knows how cells are run:
a runner hands in one neutral result per cell, whether from a worker on a socket pair or from a
daemon over gRPC.
"""
import ast
import json
import re
import shlex
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
_MARK = re.compile(r"^# %%(.*)$")
_LINE = re.compile(r"^cell (\d+): (.*)$")
_OPERATORS = ("==", "!=", "~", "!~", ">=", "<=", "has", "lacks", "starts", "json")
_STEP = re.compile(r"\.?([\w-]+)|\[([^\]]*)\]")


class Cell:
    """One cell of a case: its code and how to run it."""

    def __init__(self, code="", options=None):
        self.code = code
        options = options or {}
        self.silent = "silent" in options
        self.name = options.get("name", "")
        self.inputs = options.get("inputs")  # None: no input is offered
        self.interrupts = [float(s) for s in options.get("interrupt", "").split(",") if s]
        self.max_display_bytes = int(options.get("max_display_bytes", 0))
        self.expressions = {
            key[5:]: code for key, code in options.items() if key.startswith("expr.")
        }


class Case:
    def __init__(self, name, cells, lines):
        self.name = name
        self.cells = cells
        self.lines = lines  # (line number, cell number, subject, operator, operand)


def case_names():
    return sorted(path.stem for path in FOLDER.glob("*.expect"))


def load(name):
    cells = _parse_cells((FOLDER / (name + ".py")).read_text("utf-8"))
    lines = _parse_expectations((FOLDER / (name + ".expect")).read_text("utf-8"))
    for number, cell, *_ in lines:
        if not 1 <= cell <= len(cells):
            raise ValueError("%s.expect:%d: there is no cell %d" % (name, number, cell))
    return Case(name, cells, lines)


def _parse_cells(text):
    cells, lines = [], None
    for line in text.splitlines():
        mark = _MARK.match(line)
        if mark:
            if lines is not None:
                cells[-1].code = "\n".join(lines)
            cells.append(Cell(options=_options(mark.group(1))))
            lines = []
        elif lines is not None:
            lines.append(line)
        elif line.strip() and not line.startswith("#"):
            raise ValueError("a case begins with a '# %%' line")
    cells[-1].code = "\n".join(lines)
    return cells


def _options(text):
    options = {}
    for word in shlex.split(text):
        key, _, value = word.partition("=")
        options[key] = value
    if "inputs" in options:
        options["inputs"] = [line for line in options["inputs"].split("|") if line]
    return options


def _parse_expectations(text):
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if not match:
            raise ValueError("line %d: expected 'cell N: ...'" % number)
        subject, operator, operand = (match.group(2).split(" ", 2) + ["", ""])[:3]
        if operator not in _OPERATORS:
            raise ValueError("line %d: unknown operator %r" % (number, operator))
        lines.append((number, int(match.group(1)), subject, operator, operand))
    return lines


def check(case, results):
    """The list of failures, as text. results: one dict per cell, as README.md describes."""
    failures = []
    said = {(cell, subject) for _, cell, subject, _, _ in case.lines}
    for number, cell, subject, operator, operand in case.lines:
        view = _view(results[cell - 1])
        actual = _resolve(view, subject)
        if not _holds(actual, operator, operand):
            failures.append(
                "%s.expect:%d: cell %d: %s %s %s\n    it is: %s"
                % (case.name, number, cell, subject, operator, operand, _short(actual))
            )
    for cell, result in enumerate(results, 1):
        # What a case does not speak of must be as in a cell without surprises.
        view = _view(result)
        if (cell, "outcome") not in said and view["outcome"] != "OK":
            failures.append(
                "%s: cell %d: outcome is %s\n%s"
                % (case.name, cell, view["outcome"], view["error"].get("traceback", ""))
            )
        if (cell, "stderr") not in said and view["stderr"]:
            failures.append("%s: cell %d: stderr is %s" % (case.name, cell, _short(view["stderr"])))
    return failures


def _text(content):
    """Bytes of a stream or a form as text; images keep one character for each byte."""
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _view(result):
    """What the subjects of expectation lines are looked up in."""
    events = result["events"]
    end = result["result"]
    view = {key: end.get(key) for key in ("outcome", "exit_status", "signal", "execution_count")}
    view["state"] = end.get("state", "PRESERVED")
    for stream in ("stdout", "stderr"):
        parts = [e["data"] for e in events if e["type"] == "output" and e["stream"] == stream]
        view[stream] = _text(b"".join(parts))
    view["display"] = [e for e in events if e["type"] == "display" and not e["update"]]
    view["update"] = [e for e in events if e["type"] == "display" and e["update"]]
    values = [e for e in events if e["type"] == "value"]
    view["values"] = values
    view["value"] = values[-1] if values else {}
    view["clear"] = [e for e in events if e["type"] == "clear_output"]
    view["input"] = [e for e in events if e["type"] == "input_request"]
    view["started"] = [e for e in events if e["type"] == "started"]
    errors = [e for e in events if e["type"] == "error"]
    view["error"] = errors[-1] if errors else {}
    view["errors"] = errors
    view["frame"] = view["error"].get("frames", [])
    view["expr"] = end.get("user_expressions", {})
    shown = view["display"] + values
    view["images"] = len([e for e in shown if "image/png" in e["data"]])
    view["order"] = _order(events)
    return view


def _order(events):
    order = []
    for event in events:
        kind = event["stream"] if event["type"] == "output" else event["type"]
        if not order or order[-1] != kind:
            order.append(kind)
    return " ".join(order + ["result"])


def _resolve(view, subject):
    """display[2][text/html], error.line, expr[name][text/plain], frame[-1].line, display.count"""
    value = view
    for name, index in _STEP.findall(subject):
        if name == "count" and isinstance(value, (list, dict, str, bytes)):
            value = len(value)
        elif name:
            value = value.get(name) if isinstance(value, dict) else None
        elif isinstance(value, list):
            position = int(index)
            position -= 1 if position > 0 else 0
            value = value[position] if -len(value) <= position < len(value) else None
        elif isinstance(value, dict):
            value = value["data"].get(index) if "data" in value else value.get(index)
        else:
            return None
    return _text(value) if isinstance(value, bytes) else value


def _holds(actual, operator, operand):
    if operator in ("~", "!~"):
        found = actual is not None and re.search(operand, actual, re.DOTALL) is not None
        return found == (operator == "~")
    if operator == "json":
        return actual is not None and json.loads(actual) == json.loads(operand)
    try:
        expected = ast.literal_eval(operand)
    except (ValueError, SyntaxError):
        expected = operand
    if operator in ("==", "!="):
        return (actual == expected) == (operator == "==")
    if operator in (">=", "<="):
        return actual is not None and (
            actual >= expected if operator == ">=" else actual <= expected
        )
    if operator == "starts":
        return actual is not None and actual.startswith(expected)
    container = actual
    if isinstance(actual, dict) and "data" in actual:
        container = actual["data"]
    return (expected in (container or ())) == (operator == "has")


def _short(value):
    text = repr(value)
    return text if len(text) <= 600 else text[:400] + " ... " + text[-150:]
