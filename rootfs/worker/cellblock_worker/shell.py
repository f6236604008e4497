"""The IPython shell of the worker: no history file, no profile, no thread, no terminal."""
import builtins
import contextlib
import os
import subprocess
import sys

from cellblock_worker import ipython_import, table  # noqa: F401  (before IPython)
from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

from IPython.core import interactiveshell
from IPython.core.autocall import IPyAutocall
from IPython.core.error import UsageError
from IPython.core.formatters import BaseFormatter, DisplayFormatter
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.macro import Macro
from IPython.core.profiledir import ProfileDir
from traitlets import ObjectName, Unicode, observe

from cellblock_worker.display import CellDisplayHook, CellDisplayPublisher

# Values of this many cells stay in Out; IPython's 1000 keep data frames alive for too long.
OUTPUT_CACHE = 64


class Quitter:
    """exit and quit: they end the cell with SystemExit; the interpreter lives on."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "%s() ends this cell; the session goes on" % self._name

    def __call__(self, code=None):
        raise SystemExit(code)


class TableFormatter(BaseFormatter):
    format_type = Unicode(table.MIME_TYPE)
    print_method = ObjectName("_repr_cellblock_table_")


class NotingFormatter(DisplayFormatter):
    """Tells of every value that was formatted, with its forms."""

    formatted = None

    def format(self, obj, include=None, exclude=None):
        data, metadata = super().format(obj, include, exclude)
        if self.formatted is not None:
            self.formatted(obj, data)
        return data, metadata


class MemoryStore(dict):
    """Stands for the store of %store, which would be files in the profile folder."""

    def __init__(self, _root):
        super().__init__()


interactiveshell.PickleShareDB = MemoryStore


class UnmadeProfile(ProfileDir):
    """A profile folder in name only: IPython's would be created when it is named."""

    @observe("location")
    def _location_changed(self, change):
        pass


class CellShell(InteractiveShell):
    # Set by the worker for the running cell.
    quiet_value = False
    running = False
    shown_error = None  # what a magic caught, showed, and did not raise
    formatting_error = None
    tracer = None
    _formatting = 0

    @observe("ipython_dir")
    def _ipython_dir_changed(self, change):
        pass

    def init_ipython_dir(self, ipython_dir):
        self.ipython_dir = os.path.expanduser("~/.ipython")

    def init_profile_dir(self, profile_dir):
        self.profile_dir = UnmadeProfile(
            location=os.path.join(self.ipython_dir, "profile_default")
        )

    def init_virtualenv(self):
        pass

    def init_history(self):
        self.history_manager = HistoryManager(shell=self, parent=self, enabled=False)
        self.configurables.append(self.history_manager)

    def init_completer(self):
        pass  # made when something asks for it: see __getattr__

    def __getattr__(self, name):
        if name != "Completer":
            raise AttributeError(name)
        super().init_completer()
        return self.__dict__["Completer"]

    def init_user_ns(self):
        super().init_user_ns()
        for name in ("exit", "quit"):
            self.user_ns.pop(name, None)  # the ones of builtins: see init_builtins
            self.user_ns_hidden.pop(name, None)

    def init_builtins(self):
        super().init_builtins()
        builtins.exit, builtins.quit = Quitter("exit"), Quitter("quit")
        self.builtin_trap.activate()  # for good: get_ipython is always there

    def init_display_formatter(self):
        self.display_formatter = NotingFormatter(parent=self)
        self.configurables.append(self.display_formatter)
        formatter = TableFormatter(parent=self.display_formatter)
        for name, module in (("DataFrame", "pandas.core.frame"), ("Series", "pandas.core.series")):
            formatter.for_type_by_name(module, name, table.encode)
        self.display_formatter.formatters[table.MIME_TYPE] = formatter
        formatters = self.display_formatter.formatters
        self.display_formatter.active_types = list(formatters)
        rich = [f for mime, f in formatters.items() if mime != "text/plain"]
        rich += [self.display_formatter.ipython_display_formatter]
        rich += [self.display_formatter.mimebundle_formatter]
        self._rich_printers = [formatter.type_printers for formatter in rich]

    def init_magics(self):
        super().init_magics()
        from cellblock_worker.magics import CellMagics

        self.register_magics(CellMagics)
        self._stock = TransformerManager()

    def reset(self, new_session=True, aggressive=False):
        """Clears the names; the count of cells goes on."""
        count = self.execution_count
        super().reset(new_session, aggressive)
        self.execution_count = count

    # What sources.py asks to find out whether a cell is plain Python.

    def has_stock_transformers(self):
        mine, stock = self.input_transformer_manager, self._stock
        return (
            len(mine.cleanup_transforms) == len(stock.cleanup_transforms)
            and len(mine.line_transforms) == len(stock.line_transforms)
            and mine.token_transformers == stock.token_transformers
        )

    def is_special_name(self, name):
        if self.autocall or name in self.magics_manager.magics["line"]:
            return True
        return isinstance(self.user_ns.get(name), (Macro, IPyAutocall))

    def has_only_text(self, kind):
        """True if no formatter but the text one has been told about a type."""
        return not any(kind in printers for printers in self._rich_printers)

    # Errors. IPython prints them; here they become part of the cell's result.

    @contextlib.contextmanager
    def formatting(self):
        """While values are turned to text, an error is a message on stderr and no more."""
        self._formatting += 1
        self.formatting_error = None
        try:
            yield
        finally:
            self._formatting -= 1

    def showtraceback(self, exc_tuple=None, *args, **kwargs):
        error = exc_tuple[1] if exc_tuple and exc_tuple[0] else sys.exc_info()[1]
        if error is None:
            return
        if self._formatting:
            self.formatting_error = error
        elif self.running:
            # A magic such as %%time shows the error and returns: the cell has failed all the same.
            self.shown_error = error
            return
        self._print_error(error)

    def showsyntaxerror(self, *args, **kwargs):
        self.showtraceback()

    def _print_error(self, error):
        if isinstance(error, UsageError):
            print("UsageError:", error, file=sys.stderr)
        else:
            print(self.tracer.text(error), file=sys.stderr)

    # Processes and front ends.

    def system(self, cmd):
        """!command: its output goes to the cell's own descriptors."""
        command = self.var_expand(cmd, depth=1)
        sys.stdout.flush()
        sys.stderr.flush()
        status = subprocess.call(command, shell=True, executable="/bin/sh")
        self.user_ns["_exit_code"] = status

    system_piped = system_raw = system

    def enable_gui(self, gui=None):
        pass  # there is no event loop of a GUI to run

    def enable_matplotlib(self, gui=None):
        """%matplotlib anything: figures are captured already."""
        return "inline", "inline"


def make_shell(display, tracer):
    CellDisplayHook.display = display
    CellDisplayPublisher.display = display
    CellShell.tracer = tracer
    shell = CellShell.instance(
        displayhook_class=CellDisplayHook,
        display_pub_class=CellDisplayPublisher,
        cache_size=OUTPUT_CACHE,
        colors="NoColor",
        history_load_length=0,
        display_page=True,
    )
    shell.display_trap.__enter__()  # for good, like the builtin trap
    return shell
