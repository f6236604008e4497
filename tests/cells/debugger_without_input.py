# %%
breakpoint()
print("not reached")
# %%
import pdb
pdb.set_trace()
# %%
def f(): return 1 / 0
f()
# %%
%debug
# %%
"alive"
