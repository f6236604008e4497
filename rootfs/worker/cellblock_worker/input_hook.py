"""input() and getpass(): through the control socket where the caller offers input, otherwise
EOFError at once. A program that waits for a person who is not there would only time out."""
import builtins
import getpass
import threading

from cellblock_worker import frame, wire
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_get_ident = threading.get_ident
_main = threading.main_thread().ident

NOT_OFFERED = (
    "%s() was called, but no input is offered to this cell; put the value into the code instead"
)


class Input:
    def __init__(self, channel, display):
        self._channel = channel
        self._display = display
        self.offered = False
        builtins.input = self.input
        getpass.getpass = self.getpass

    def input(self, prompt="", /):
        """Asks the caller for a line of text."""
        return self._ask("input", str(prompt), False)

    def getpass(self, prompt="Password: ", stream=None):
        """Asks the caller for a line of text that is not to be echoed."""
        return self._ask("getpass", str(prompt), True)

    def _ask(self, name, prompt, password):
        channel = self._channel
        # Only the main thread may read the control socket, and only within a cell.
        if not self.offered or channel.lost or not channel.cell or _get_ident() != _main:
            raise EOFError(NOT_OFFERED % name)
        request = {"prompt": prompt, "password": password}
        if not self._display.send(frame.INPUT_REQUEST, wire.INPUT_REQUEST, request):
            raise ValueError("%s() was called with a prompt of more than 16 MiB" % name)
        while True:
            kind, cell, payload = channel.receive()
            if kind != frame.INPUT_REPLY or cell != channel.cell:
                continue
            try:
                reply = wire.decode(wire.INPUT_REPLY, payload)
            except ValueError:
                continue
            if reply["end_of_file"]:
                raise EOFError("end of input")
            return reply["text"].decode("utf-8", "replace").rstrip("\n")
