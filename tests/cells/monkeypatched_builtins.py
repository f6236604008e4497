# %%
import builtins
builtins.print = None
builtins.open = builtins.sorted = None
# %%
x = 1
# %%
for name in ("len", "isinstance", "getattr", "int", "str", "type", "any", "min", "dict"):
    setattr(builtins, name, None)
# %%
x
# %%
x
