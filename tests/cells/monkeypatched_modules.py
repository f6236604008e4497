# %%
import json, os, struct, socket, sys, signal, threading
for name in ("write", "read", "fstat", "dup2", "close", "getpid", "fsencode"):
    setattr(os, name, None)
struct.Struct = struct.pack = struct.unpack = None
json.dumps = json.loads = None
sys.exit = None
signal.signal = signal.getsignal = None
threading.Lock = None
socket.socket = None
# %%
print("out")
{"a": 1}
# %%
from IPython.display import JSON
JSON({"b": 2})
# %%
missing_name
