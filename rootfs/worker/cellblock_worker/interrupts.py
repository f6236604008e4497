"""SIGINT becomes KeyboardInterrupt in user code and nowhere else.

The daemon may send SIGINT at any moment. Three rules make every moment safe:
  * idle: it is dropped, unless the frame of a cell is already waiting in the socket - then it was
    meant for that cell and is kept;
  * in the worker's own code during a cell: it is kept and raised as soon as user code runs again;
  * in user code: KeyboardInterrupt is raised where the code is.
"In the worker's own code" is decided by the frame that the signal found, so there is no window
between a flag and the code it speaks of. Runs on the main thread only, as Python's handlers do.
"""
import _signal  # signal's own functions look builtins up that a cell may have replaced
import select
import threading

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_get_ident = threading.get_ident
_getsignal = _signal.getsignal
_set_signal = _signal.signal
_SIGINT = _signal.SIGINT
_MAIN = _get_ident()


class Interrupts:
    def __init__(self, control_fd):
        # A poll object must not be entered twice, and the handler may find one in use.
        self._idle_poll = select.poll()
        self._idle_poll.register(control_fd, select.POLLIN)
        self._handler_poll = select.poll()
        self._handler_poll.register(control_fd, select.POLLIN)
        self.in_cell = False
        self._armed = False
        self._critical = 0
        self._pending = False
        # Frames of these functions never see KeyboardInterrupt.
        self._shielded = {f.__func__.__code__ for f in (self.handle, self.guarded, self.critical)}
        self._handler = self.handle
        self.install()

    def install(self):
        """Takes SIGINT back from whatever a cell did with it."""
        if _getsignal(_SIGINT) is not self._handler:
            _set_signal(_SIGINT, self._handler)

    def handle(self, _signum, frame):
        if not self.in_cell and not self._handler_poll.poll(0):
            return
        if not self._armed or self._critical or frame.f_code in self._shielded:
            self._pending = True
            return
        self._pending = False
        raise KeyboardInterrupt

    def wait_for_frame(self):
        """Blocks until the control socket is readable; from then on signals belong to the cell."""
        self._idle_poll.poll()
        self.in_cell = True

    def end_cell(self):
        """Forgets what came too late. Before Done is sent: behind it the next cell may wait."""
        self.in_cell = False
        self._pending = False

    def guarded(self, function, *args):
        """(value, None), or (None, exception) for whatever function raised, interrupts included."""
        armed_before = self._armed
        try:
            self._armed = True
            return _enter(self, function, args), None
        except BaseException as error:
            return None, error
        finally:
            self._armed = armed_before

    def critical(self, function, *args):
        """Runs function with interrupts put off until it is done; any thread may call."""
        if _get_ident() != _MAIN:
            return function(*args)
        self._critical += 1
        try:
            return function(*args)
        finally:
            self._critical -= 1
            if self._pending and self._armed and not self._critical:
                self._pending = False
                raise KeyboardInterrupt


def _enter(interrupts, function, args):
    if interrupts._pending:
        interrupts._pending = False
        raise KeyboardInterrupt
    return function(*args)
