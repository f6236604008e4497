"""One cell from RunCell to Done."""
import os
import sys

from cellblock_worker import display, frame, sources, wire
from cellblock_worker.async_run import AsyncRunner, needs_loop
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401
from cellblock_worker.trace import causes

_exit = os._exit
_settrace = sys.settrace
_encode = wire.encode

_MAX_NAME = 1000
_LOWEST_RECURSION_LIMIT = 500  # the worker's own needs


def _brief(error):
    """An Error message without anything that the exception's own code has a say in."""
    return {
        "name": type(error).__name__[:_MAX_NAME],
        "value": "",
        "memory": isinstance(error, MemoryError),
    }


def _too_large(expression):
    value = "the values of this cell's expressions are larger than 16 MiB together"
    return {"name": expression["name"], "error": {"name": "OverflowError", "value": value}}


class CellRunner:
    """Runs cells; everything of one cell that is state lives in its request and in the frames."""

    def __init__(self, channel, interrupts, streams, shell, parts):
        self._channel = channel
        self._interrupts = interrupts
        self._streams = streams
        self._shell = shell
        self._sources = parts.sources
        self._tracer = parts.tracer
        self._display = parts.display
        self._figures = parts.figures
        self._input = parts.input
        self._async = AsyncRunner()
        self._count = 1  # the shell has it too, but a cell can break the shell

    def run(self, cell, request):
        """Runs one cell and answers it with exactly one Done."""
        self._prepare(cell, request)
        silent = request["silent"]
        count = self._count
        # A silent cell counts as part of the one before it.
        reported = count - 1 if silent else count
        error = self._execute(request, count)
        if self._channel.lost:
            self._end_child(error)
        done = self._outcome(error)
        if not silent:
            self._count = count + 1
        done["execution_count"] = reported
        done["value"] = self._display.take_held()
        done["expressions"] = [self._expression(e) for e in request["expressions"]]
        self._flush()
        self._interrupts.end_cell()
        if not self._send(frame.DONE, wire.DONE, done):
            done["expressions"] = [_too_large(e) for e in request["expressions"]]
            self._send(frame.DONE, wire.DONE, done)

    def fail(self, error):
        """Answers a cell that the worker's own code broke on."""
        message = {"name": type(error).__name__[:_MAX_NAME], "value": "the worker failed"}
        message.update(causes(error))
        self._send(frame.ERROR, wire.ERROR, message)
        done = {"status": wire.STATUS_ERROR, "execution_count": self._count}
        self._count += 1
        self._interrupts.end_cell()
        self._send(frame.DONE, wire.DONE, done)

    def _send(self, kind, schema, message):
        return self._channel.send(kind, _encode(schema, message))

    def _prepare(self, cell, request):
        self._channel.cell = cell
        self._interrupts.install()
        self._streams.restore()
        limit = request["max_display_bytes"] or display.DEFAULT_LIMIT
        self._display.begin_cell(limit, request["silent"])
        self._input.offered = request["offer_input"]
        self._figures.begin_cell()
        self._shell.shown_error = None
        sys.displayhook = self._shell.displayhook

    def _execute(self, request, count):
        """Runs the code; the exception that ended it, or None."""
        # Not interruptible: an interrupt in IPython's book-keeping could leave a lock held.
        try:
            codes, text = self._compile(request, count)
        except BaseException as error:
            return error
        _, error = self._interrupts.guarded(self._run_codes, codes, text)
        self._shell.running = False
        if error is None:
            error = self._shell.shown_error
            self._shell.shown_error = None
        if self._channel.lost:
            return error
        _, late = self._interrupts.guarded(self._finish_cell)
        return error or late

    def _compile(self, request, count):
        shell = self._shell
        shell.execution_count = count
        text = sources.normalize(request["code"])
        name = request["name"] or ("silent cell" if request["silent"] else "cell %d" % count)
        plain = sources.transform(shell, text)
        file = self._sources.register(name, text, plain)
        shell.quiet_value = sources.ends_quietly(text)
        if not request["silent"]:
            shell.history_manager.store_inputs(count, plain, text)
            shell.history_manager.db_input_cache.clear()
        return sources.compile_cell(shell, plain, file), plain

    # The functions that follow run user code, and are interruptible.

    def _run_codes(self, codes, text):
        shell = self._shell
        shell.events.trigger("pre_execute")
        shell.running = True
        namespace = shell.user_ns
        self._display.ends = len(codes) == 1
        if needs_loop(codes, text):
            self._async.run(codes, namespace)
            return
        for code in codes:
            self._display.ends = code is codes[-1]
            exec(code, namespace)

    def _finish_cell(self):
        _settrace(None)  # a debugger that a cell left behind
        if sys.getrecursionlimit() < _LOWEST_RECURSION_LIMIT:
            sys.setrecursionlimit(_LOWEST_RECURSION_LIMIT)
        events = self._shell.events
        if events.callbacks["post_execute"]:
            self._display.release()
            events.trigger("post_execute")
        self._figures.end_cell()

    def _expression(self, expression):
        value, error = self._interrupts.guarded(self._evaluate, expression["code"])
        result = {"name": expression["name"]}
        if error is None:
            result["value"] = value
        else:
            result["error"] = self._describe(error)
        return result

    def _evaluate(self, code):
        value = eval(code, self._shell.user_ns)
        return self._display.bundle(*display.safe_format(self._shell, value))

    # How it ended.

    def _outcome(self, error):
        """The Done message; an Error frame goes before it where Python raised."""
        if error is None:
            return {"status": wire.STATUS_OK}
        if isinstance(error, SystemExit):
            return {"status": wire.STATUS_EXIT, "exit_code": self._exit_code(error)}
        self._send_error(error)
        if isinstance(error, KeyboardInterrupt):
            return {"status": wire.STATUS_INTERRUPTED}
        return {"status": wire.STATUS_ERROR}

    def _send_error(self, error):
        self._display.release()
        self._flush()
        message = self._describe(error)
        if not self._send(frame.ERROR, wire.ERROR, message):
            self._send(frame.ERROR, wire.ERROR, _brief(error))  # a name in it is that long
        # Kept for %debug and %tb, as an interactive interpreter does.
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__

    def _describe(self, error):
        message, failure = self._interrupts.guarded(self._tracer.describe, error)
        if failure is None:
            return message
        # The exception, or the want of memory, broke the description.
        return _brief(error)

    def _exit_code(self, error):
        """What the exit status of a process would have been."""
        code = error.code
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        self._interrupts.guarded(lambda: print(code, file=sys.stderr))
        return 1

    def _flush(self):
        self._interrupts.guarded(self._streams.flush)

    def _end_child(self, error):
        """A process that the cell forked came to the end of the cell: it must not go on."""
        status = 0
        if isinstance(error, SystemExit):
            status = self._exit_code(error)
        elif error is not None:
            status = 1
            self._interrupts.guarded(
                lambda: print(self._tracer.text(error), file=sys.stderr)
            )
        self._flush()
        _exit(status)

