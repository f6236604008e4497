# %%
import subprocess, sys
print("before")
subprocess.run(["sh", "-c", "echo child; echo oops >&2"])
print("after")
# %%
subprocess.run(["echo", "direct"], stdout=sys.stdout.fileno())
# %%
subprocess.check_output(["echo", "kept"])
# %%
!echo from the shell
# %%
import os
os.system("echo by system; exit 3")
