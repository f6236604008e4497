# %%
def f(x):
    # a comment
    return x + 1
# %%
import inspect
print(inspect.getsource(f))
# %%
import linecache
linecache.checkcache()
inspect.getsource(f).count("comment")
# %%
from dataclasses import dataclass
@dataclass
class P:
    a: int
P(1)
