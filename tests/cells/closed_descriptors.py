# %%
import os
os.close(1)
os.close(2)
# %%
print("alive")
# %%
fd = os.open("captured.txt", os.O_CREAT | os.O_WRONLY)
n = os.dup2(fd, 1)
print("into the file")
# %%
print("back")
open("captured.txt").read()
# %%
os.closerange(0, 3)
# %%
import subprocess
subprocess.run(["echo", "fine"]).returncode
