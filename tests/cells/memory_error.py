# %%
raise MemoryError
# %%
try:
    raise MemoryError
except MemoryError:
    raise ValueError("after")
# %%
import numpy as np
np.empty((1 << 60,), dtype="u1")
