# %%
import multiprocessing as mp
class Point:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return self.x == other.x
def double(p):
    print("working")
    return Point(p.x * 2)
# %%
with mp.get_context("fork").Pool(2) as pool:
    out = pool.map(double, [Point(1), Point(2)])
[p.x for p in out]
# %%
import pickle
pickle.loads(pickle.dumps(Point(3))).x
# %%
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(2) as executor:
    print(list(executor.map(abs, [-1, -2])))
