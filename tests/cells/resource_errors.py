# %%
open("/dev/full", "w").write("x" * 100000)
# %%
import errno
raise OSError(errno.EDQUOT, "quota")
# %%
raise RuntimeError("can't start new thread")
# %%
raise BlockingIOError(errno.EAGAIN, "a socket would block")
