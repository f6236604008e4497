# %%
import sys
sys.setrecursionlimit(120)
# %%
1 + 1
