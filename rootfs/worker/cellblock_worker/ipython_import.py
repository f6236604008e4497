"""Imports IPython without what a worker does not need: half of its import time.

IPython/__init__.py pulls in the terminal front end, with it the completer and jedi. A stand-in
keeps them out for the moment; user code may import them afterwards. A few modules that IPython
imports whole but seldom uses are loaded at their first use.
"""
import importlib.util
import sys
import types

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_EMBED = "IPython.terminal.embed"
_LATER = ("cProfile", "pexpect", "pydoc", "sqlite3")


def _embed(*args, **kwargs):
    from IPython.terminal.embed import embed

    return embed(*args, **kwargs)


def _load_later(name):
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def _import():
    for name in _LATER:
        _load_later(name)
    embed = types.ModuleType(_EMBED)
    embed.embed = _embed
    sys.modules[_EMBED] = embed
    try:
        import IPython.core.interactiveshell  # noqa: F401
    finally:
        del sys.modules[_EMBED]


_import()
