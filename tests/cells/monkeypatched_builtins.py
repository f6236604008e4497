# %%
import builtins
builtins.print = None
builtins.open = builtins.len = builtins.sorted = builtins.max = None
# %%
x = 1
# %%
for name in ("isinstance", "getattr", "int", "str", "type", "any", "min", "dict"):
    setattr(builtins, name, None)
# %%
x
# %%
x
