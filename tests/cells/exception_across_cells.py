# %%
def g():
    # second line
    raise KeyError("missing")
# %%
x = 1
g()
