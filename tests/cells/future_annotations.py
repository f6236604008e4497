# %%
from __future__ import annotations
def f(x: NotDefined): pass
# %%
def g(x: AlsoNotDefined): pass
