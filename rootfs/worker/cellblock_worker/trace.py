"""An exception as an Error message: structured frames, and text in plain and ANSI form.

The frames of the worker and of IPython are left out. Everything here may meet hostile objects (an
exception whose __str__ raises, a chain without end, a thousand frames), so all of it is bounded.
"""
import errno
import linecache
import os

from cellblock_worker import os_error
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_getline = linecache.getline

_MAX_FRAMES = 40  # of each exception: half from each end
_MAX_CHAIN = 8
_MAX_GROUP = 10
_MAX_DEPTH = 4
_MAX_VALUE = 64 * 1024
_MAX_NAME = 1000
_MAX_TEXT = 256 * 1024
_CONTEXT = 2  # lines around the failing one, for frames of cells
_WORKER = os.path.dirname(os.path.abspath(__file__)) + os.sep

_RED, _GREEN, _CYAN, _BOLD = "31", "32", "36", "1"
_START_FAILURES = ("_execute_child", "_launch", "fork_exec", "_fork_exec", "spawnv_passfds")


class Tracer:
    def __init__(self, sources):
        self._sources = sources

    def describe(self, error):
        """The fields of an Error message."""
        steps = self._steps(error)
        message = {
            "name": type(error).__name__[:_MAX_NAME],
            "value": safe_str(error),
            "frames": [self._frame(step) for step in steps],
            "traceback": self._text(error, _plain),
            "traceback_ansi": self._text(error, _ansi),
        }
        if isinstance(error, SyntaxError) and self._in_cell(error):
            message["value"] = str(error.msg)
            message["line"], message["column"] = self._position(error)
            message["frames"] = [self._frame((error.filename, "<module>", message["line"]))]
        message.update(causes(error))
        return message

    def text(self, error):
        return self._text(error, _plain)

    def _in_cell(self, error):
        return isinstance(error.filename, str) and self._sources.is_cell(error.filename)

    def _position(self, error):
        """Line and column of a syntax error in a cell, in the user's own text."""
        file, line, column = error.filename, error.lineno, error.offset
        if not isinstance(line, int):
            return 0, 0
        column = column if isinstance(column, int) and column > 0 else 0
        lines = self._sources.text(file).split("\n")
        compiled = (error.text or "").rstrip("\n") if isinstance(error.text, str) else ""
        if column and 0 < line <= len(lines) and compiled:
            shift = len(lines[line - 1]) - len(compiled)
            if shift > 0 and lines[line - 1].endswith(compiled):
                column += shift  # an indented cell was moved to the left
        return line, column

    def _steps(self, error):
        """(file, function, line) of the frames worth showing, outermost first."""
        steps = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            name = getattr(code, "co_qualname", code.co_name)
            steps.append((code.co_filename, name, trace.tb_lineno or 0))
            trace = trace.tb_next
        cells = [i for i, step in enumerate(steps) if self._sources.is_cell(step[0])]
        if cells:
            steps = steps[cells[0] :]  # what called the cell is no business of the user's
        shown = [step for step in steps if not _is_internal(step[0])]
        return shown if len(shown) <= _MAX_FRAMES else shown[: _MAX_FRAMES // 2] + [
            ("", "%d frames left out" % (len(shown) - _MAX_FRAMES), 0)
        ] + shown[-_MAX_FRAMES // 2 :]

    def _frame(self, step):
        file, function, line = step
        return {
            "file": file,
            "function": function,
            "line": line,
            "source": _getline(file, line).strip()[:1000] if file else "",
            "user_code": self._sources.is_cell(file),
        }

    def _text(self, error, paint):
        lines = []
        for link, reason in _chain(error):
            if lines:
                lines += ["", reason, ""]
            lines += self._lines(link, paint, 0)
        text = "\n".join(lines)
        if len(text) > _MAX_TEXT:
            text = text[: _MAX_TEXT // 2] + "\n...\n" + text[-_MAX_TEXT // 2 :]
        return text

    def _lines(self, error, paint, depth):
        """One exception, with the members of a group below it."""
        steps = self._steps(error)
        lines = []
        syntax = isinstance(error, SyntaxError)
        if steps and not (syntax and self._in_cell(error)):
            head = paint(type(error).__name__, _RED)
            lines.append(head + "  Traceback (most recent call last)")
            for step in steps:
                lines += self._step_lines(step, paint)
        if syntax:
            lines += _syntax_lines(error, paint)
        value = str(error.msg) if syntax and self._in_cell(error) else safe_str(error)
        name = paint(type(error).__name__, _RED)
        lines += ((name + ": " + value) if value else name).split("\n")
        for note in _notes(error):
            lines += note.split("\n")
        for index, member in enumerate(_members(error)):
            if depth >= _MAX_DEPTH:
                lines.append("  | ...")
                break
            lines.append("  +-- member %d" % (index + 1))
            lines += ["  | " + line for line in self._lines(member, paint, depth + 1)]
        return lines

    def _step_lines(self, step, paint):
        file, function, line = step
        if not file:
            return ["    ... %s ..." % function]
        is_cell = self._sources.is_cell(file)
        where = paint(file if is_cell else "File " + file, _GREEN)
        where += ", line %d" % line
        if function != "<module>":
            where += ", in " + paint(function, _CYAN)
        lines = [where]
        around = _CONTEXT if is_cell else 0
        for number in range(max(1, line - around), line + around + 1):
            source = _getline(file, number).rstrip("\n")[:1000]
            if number == line and source:
                lines.append(paint("----> %d " % number, _GREEN) + paint(source, _BOLD))
            elif source or number < line:
                lines.append("%s %s" % (str(number).rjust(len("----> %d" % line)), source))
        return lines


def _is_internal(file):
    return file.startswith(_WORKER) or "/IPython/" in file or file.endswith("/decorator.py")


def _plain(text, _style):
    return text


def _ansi(text, style):
    return "\x1b[%sm%s\x1b[0m" % (style, text)


def safe_str(error):
    try:
        text = str(error)
    except BaseException as failure:
        if isinstance(failure, KeyboardInterrupt):
            raise
        text = "<the exception's text raised %s>" % type(failure).__name__
    if len(text) > _MAX_VALUE:
        text = text[:_MAX_VALUE] + "..."
    return text


def _syntax_lines(error, paint):
    lines = ["%s, line %s" % (paint(str(error.filename), _GREEN), error.lineno)]
    if isinstance(error.text, str) and isinstance(error.offset, int):
        source = error.text.rstrip("\n")
        stripped = source.lstrip()
        lines.append("    " + stripped)
        column = max(error.offset - 1 - (len(source) - len(stripped)), 0)
        width = 1
        end = getattr(error, "end_offset", None)
        if isinstance(end, int) and getattr(error, "end_lineno", None) == error.lineno:
            width = max(min(end - error.offset, len(source)), 1)
        lines.append("    " + " " * min(column, len(stripped)) + paint("^" * width, _RED))
    return lines


def _attribute(error, name):
    try:
        return getattr(error, name, None)
    except Exception:
        return None


def _chain(error):
    """(exception, how the one before led to it), the first cause first."""
    links = []
    seen = set()
    reason = ""
    while isinstance(error, BaseException) and id(error) not in seen and len(links) < _MAX_CHAIN:
        seen.add(id(error))
        links.append((error, reason))
        cause = _attribute(error, "__cause__")
        if cause is not None:
            error, text = cause, "The above exception was the direct cause of the following one:"
        elif _attribute(error, "__suppress_context__"):
            break
        else:
            error = _attribute(error, "__context__")
            text = "During handling of the above exception, another exception occurred:"
        links[-1] = links[-1][0], text
    return links[::-1]


def _members(error):
    members = _attribute(error, "exceptions") if _is_group(error) else None
    if not isinstance(members, (tuple, list)):
        return []
    return [m for m in members[:_MAX_GROUP] if isinstance(m, BaseException)]


def _is_group(error):
    group = __builtins__.get("BaseExceptionGroup")  # Python 3.11
    return group is not None and isinstance(error, group)


def _notes(error):
    notes = _attribute(error, "__notes__")
    if not isinstance(notes, (list, tuple)):
        return []
    return [note[:_MAX_VALUE] for note in notes[:20] if isinstance(note, str)]


def causes(error):
    """Which exhausted resource or refusal the exception, or one that led to it, speaks of."""
    flags = {"memory": False, "disk_full": False, "no_processes": False}
    links = [link for link, _ in _chain(error)]
    for link in links + [m for link in links for m in _members(link)]:
        number = _attribute(link, "errno") if isinstance(link, OSError) else None
        if isinstance(link, MemoryError) or number == errno.ENOMEM:
            flags["memory"] = True
        if number in (errno.ENOSPC, errno.EDQUOT):
            flags["disk_full"] = True
        if _cannot_start(link, number):
            flags["no_processes"] = True
    flags.update(os_error.facts(links))
    return flags


def _cannot_start(error, number):
    if isinstance(error, RuntimeError):
        return "can't start new thread" in safe_str(error)
    if number != errno.EAGAIN:
        return False
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return code.co_name in _START_FAILURES or "fork" in _getline(
        code.co_filename, trace.tb_lineno or 0
    )
