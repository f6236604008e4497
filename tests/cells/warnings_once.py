# %%
import warnings
def f():
    warnings.warn("careful")
for i in range(3):
    f()
# %%
warnings.warn("again")
# %%
warnings.warn("again")
