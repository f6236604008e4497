"""What an expression may stand for, as far as its text tells, and folding of constant text.

A set of values: a str is a dotted name ("os.system"; "pathlib.Path()" is what a call of it gave),
Const is a constant, Items is a container of further values. The empty set is "not known".
"""
import base64
import sys
from typing import NamedTuple

MAX_TEXT = 4096  # characters of a folded constant
NOTHING = frozenset()


class Const(NamedTuple):
    value: object


class Items(NamedTuple):
    values: frozenset


_SAME = {"posix": "os", "_io.open": "builtins.open", "io.open": "builtins.open",
         "__builtins__": "builtins", "__builtin__": "builtins", "_pickle": "pickle",
         "_socket": "socket", "_ctypes": "ctypes", "_posixsubprocess": "subprocess",
         "importlib.__import__": "builtins.__import__", "importlib._bootstrap": "importlib",
         "pathlib.PosixPath": "pathlib.Path"}
_ALWAYS = ("__subclasses__", "__globals__", "__code__")
_PATHS = frozenset((
    "cwd", "home", "absolute", "resolve", "joinpath", "with_suffix", "with_name", "with_stem",
    "expanduser", "rename", "replace", "glob", "rglob", "iterdir", "relative_to", "parent"))
_METHODS = frozenset(("lower", "upper", "strip", "lstrip", "rstrip", "replace", "decode", "encode",
                      "join", "title", "swapcase", "removeprefix", "removesuffix", "hex"))


def same(name):
    """One name for what several modules show."""
    head, dot, rest = name.partition(".")
    return _SAME.get(name) or (_SAME[head] + dot + rest if head in _SAME else name)


def member(values, attribute):
    """The values of an attribute."""
    result = set()
    if attribute in _ALWAYS:
        result.add("object." + attribute)
    for value in values:
        if not isinstance(value, str):
            continue
        if value == "pathlib.Path()" and attribute in ("parent", "parents"):
            result.add("pathlib.Path()")
            continue
        name = same(value.replace("()", "") + "." + attribute)
        result.add(name)
        # A module shows what it imported: shutil.os.system.
        if (attribute in sys.stdlib_module_names and attribute != value
                and (value in sys.stdlib_module_names or value == "os.path")):
            result.add(attribute)
    return frozenset(result)


def called(values):
    """The values of what a call gives."""
    result = set()
    for value in values:
        if isinstance(value, str):
            if value.startswith("pathlib.Path.") and value.rpartition(".")[2] in _PATHS:
                value = "pathlib.Path"
            result.add(value if value.endswith("()") else value + "()")
    return frozenset(result)


def elements(values):
    """The values of what iteration or a subscript gives."""
    result = set()
    for value in values:
        if isinstance(value, Items):
            result |= value.values
        elif value == "pathlib.Path()":
            result.add(value)
    return frozenset(result)


def texts(values):
    """The constant texts among values."""
    return [v.value for v in values if isinstance(v, Const) and isinstance(v.value, str)]


def constant(value):
    if isinstance(value, (str, bytes)) and len(value) > MAX_TEXT:
        return NOTHING
    return frozenset((Const(value),))


def single(values):
    """The one constant, or None."""
    if len(values) == 1:
        (value,) = values
        if isinstance(value, Const):
            return value
    return None


def fold(function, *arguments):
    """constant(function(*arguments)), or nothing where that fails."""
    try:
        result = function(*arguments)
    except Exception:
        return NOTHING
    return constant(result) if isinstance(result, (str, bytes, int)) else NOTHING


def fold_method(text, name, arguments):
    """A call of a harmless method of constant text."""
    if not isinstance(text, (str, bytes)) or name not in _METHODS:
        return NOTHING
    return fold(getattr(text, name), *arguments)


def fold_call(name, arguments):
    """A call of a function that only turns constants into others."""
    functions = {"builtins.chr": chr, "builtins.str": str, "base64.b64decode": base64.b64decode,
                 "builtins.bytes.fromhex": bytes.fromhex, "builtins.bytes": _small_bytes}
    return fold(functions[name], *arguments) if name in functions else NOTHING


def _small_bytes(value, *rest):
    # bytes(10**10) would be ten gigabytes.
    return bytes(value, *rest) if isinstance(value, (str, bytes)) else None
