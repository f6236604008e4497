"""Which values a name may have where it is read."""
import builtins
import importlib
import sys

from cellblock_worker.code_values import NOTHING, Const, Items, same

MAX_CANDIDATES = 64  # dotted names that one name may be; beyond it the analysis is incomplete
MAX_CONSTANTS = 64  # constants that one name may be; beyond it, it may be any

# What an earlier cell most likely meant by a name that this one does not bind.
_CUSTOMARY = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "Path": "pathlib.Path"}
_UNIMPORTED = ("antigravity", "this", "idlelib", "turtledemo", "__main__")


class Overflow(Exception):
    """A bound of the analysis was reached; the text says which."""


class Scope:
    """Names of a module, function, class or comprehension. `ever` keeps what a name was bound to
    at any time: a function that is called later may see any of it."""

    def __init__(self, parent, is_class=False):
        self.parent = parent
        self.is_class = is_class
        self.now = {}
        self.ever = {}
        self.stars = []
        self.outer = {}  # global and nonlocal names -> the scope that they belong to
        self.branches = 0  # more than 0: what is bound may not be

    def bind(self, name, values):
        scope = self.outer.get(name)
        if scope is not None:
            scope.add(name, values)
            return
        if self.branches:
            self.add(name, values)
            return
        self.now[name] = values
        self.ever[name] = _bounded(self.ever.get(name, NOTHING) | values)

    def add(self, name, values):
        """Binds a name that may keep what it had."""
        self.now[name] = _bounded(self.now.get(name, NOTHING) | values)
        self.ever[name] = _bounded(self.ever.get(name, NOTHING) | values)

    def find(self, name):
        """(values, whether the code binds it)."""
        scope = self
        while scope is not None:
            if name not in scope.outer and not (scope.is_class and scope is not self):
                names = scope.now if scope is self else scope.ever
                if name in names:
                    return names[name], True
            scope = scope.parent
        return self._unbound(name), False

    def _unbound(self, name):
        found = set()
        scope = self
        while scope is not None:
            for module in scope.stars:
                if _shows(module, name):
                    found.add(same(module + "." + name))
            scope = scope.parent
        if found:
            return frozenset(found)
        if hasattr(builtins, name) and name not in ("exit", "quit", "copyright"):
            return frozenset(("builtins." + name,))
        return frozenset((same(_CUSTOMARY.get(name, name)),))


def _bounded(values):
    if len(values) <= MAX_CANDIDATES:
        return values
    others = []
    for value in values:
        if not isinstance(value, Const):
            others.append(value)
    if len(others) > MAX_CANDIDATES:
        raise Overflow("a name has more than %d possible values" % MAX_CANDIDATES)
    if len(values) - len(others) > MAX_CONSTANTS:
        return frozenset(others)
    return values


def _shows(module, name):
    """Whether `from module import *` brings a name; for what is not of the standard library, yes
    unless it is a builtin."""
    top = module.partition(".")[0]
    if top not in sys.stdlib_module_names or top in _UNIMPORTED:
        return not hasattr(builtins, name)
    try:
        shown = importlib.import_module(module)
    except Exception:
        return False
    names = getattr(shown, "__all__", None)
    return name in names if names is not None else (
        hasattr(shown, name) and not name.startswith("_"))


def merged(*sets):
    """The union, where containers stay containers."""
    result = set()
    for values in sets:
        result |= values
    return frozenset(result)


def container(*sets):
    values = _bounded(merged(*sets))
    return frozenset((Items(values),)) if values else NOTHING
