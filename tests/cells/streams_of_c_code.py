# %%
import ctypes
libc = ctypes.CDLL(None)
n = libc.puts(b"from C")
n = libc.printf(b"partial")
# %%
import os
n = os.write(1, b"raw out\n")
n = os.write(2, b"raw err\n")
