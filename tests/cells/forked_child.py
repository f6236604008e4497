# %%
import os
print("once ", end="")
pid = os.fork()
if pid == 0:
    print("child")
else:
    os.waitpid(pid, 0)
    print("parent")
# %%
pid = os.fork()
if pid == 0:
    raise ValueError("in the child")
os.waitpid(pid, 0)[1]
# %%
pid = os.fork()
if pid == 0:
    display("child shows")
    os._exit(0)
os.waitpid(pid, 0)[1]
# %%
"still here"
