# %%
%%writefile helpers.py
def triple(x):
    return x * 3
# %%
import multiprocessing as mp
from helpers import triple
with mp.get_context("spawn").Pool(1) as pool:
    print(pool.map(triple, [1, 2]))
