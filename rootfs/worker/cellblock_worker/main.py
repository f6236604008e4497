"""Sets the worker up, says Ready, and serves one cell after the other.

One thread, no timers: time-outs and limits are the daemon's. The process ends by os._exit only, so
no exit handler of a copy of this interpreter ever runs.
"""
import os
import sys
import traceback
import types

from cellblock_worker import control, frame, wire
from cellblock_worker.interrupts import Interrupts
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401
from cellblock_worker.streams import Streams

CONTROL_FD = 3
_exit = os._exit


def main(library_path, other_path):
    """Never returns."""
    try:
        channel = control.Channel(CONTROL_FD, int(os.environ.pop("CELLBLOCK_INCARNATION", "0")))
        interrupts = Interrupts(channel.fd)
        streams = Streams()
        os.register_at_fork(before=streams.flush)
        runner = _make_runner(channel, interrupts, streams)
        _open_path(library_path, other_path)
        _say_ready(channel)
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        sys.__stderr__.flush()
        _exit(control.EXIT_CONTROL_LOST)
    serve(channel, interrupts, runner)


def _make_runner(channel, interrupts, streams):
    from cellblock_worker.display import Display
    from cellblock_worker.figures import Figures
    from cellblock_worker.input_hook import Input
    from cellblock_worker.run_cell import CellRunner
    from cellblock_worker.shell import make_shell
    from cellblock_worker.sources import Sources
    from cellblock_worker.trace import Tracer

    parts = types.SimpleNamespace()
    parts.sources = Sources()
    parts.tracer = Tracer(parts.sources)
    parts.display = Display(channel, interrupts, streams)
    shell = make_shell(parts.display, parts.tracer)
    parts.figures = Figures(shell)
    parts.input = Input(channel, parts.display)
    return CellRunner(channel, interrupts, streams, shell, parts)


def _open_path(library_path, other_path):
    """The work folder can be imported from; it cannot stand in for the standard library."""
    sys.path[:] = library_path + [""] + other_path
    sys.argv[:] = [""]


def _say_ready(channel):
    import IPython

    ready = {
        "python_version": ".".join(map(str, sys.version_info[:3])),
        "ipython_version": IPython.__version__,
        "threads": len(os.listdir("/proc/self/task")),
    }
    channel.send(frame.READY, wire.encode(wire.READY, ready))


def serve(channel, interrupts, runner):
    """Answers frames until the control socket ends."""
    while True:
        try:
            _serve_one(channel, interrupts, runner)
        except BaseException as error:
            # Not from SIGINT: a signal handler of the user's, or a fault of ours.
            _recover(channel, runner, error)


def _serve_one(channel, interrupts, runner):
    interrupts.wait_for_frame()
    kind, cell, payload = channel.receive()
    request = None
    if kind == frame.RUN_CELL:  # else an answer to a question that nobody asks any more
        try:
            request = wire.decode(wire.RUN_CELL, payload)
        except ValueError:
            pass
    if request is None:
        interrupts.end_cell()
        return
    runner.run(cell, request)
    channel.cell = 0


def _recover(channel, runner, error):
    if channel.lost:
        _exit(1)
    try:
        if channel.cell:
            runner.fail(error)
            channel.cell = 0
    except BaseException:
        _exit(control.EXIT_CONTROL_LOST)
