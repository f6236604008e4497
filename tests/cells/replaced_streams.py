# %%
import sys, io
sys.stdout = io.StringIO()
print("hidden")
# %%
print("seen")
# %%
del sys.stdout, sys.stderr
# %%
print("seen again")
# %%
sys.stdout = None
# %%
sys.stdout.close()
# %%
print("and again")
# %%
sys.stdout.detach()
# %%
print("still")
