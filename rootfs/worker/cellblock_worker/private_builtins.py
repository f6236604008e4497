"""A copy of builtins, taken before any cell ran.

`from cellblock_worker.private_builtins import BUILTINS as __builtins__` at the top of a module
makes its functions look names such as len or isinstance up here: a cell that assigns to
builtins.len changes its own world and not the worker's. (Functions take their builtins from the
global __builtins__ when they are defined.)
"""
import builtins

BUILTINS = dict(vars(builtins))
