# %%
import os
name = "kept"
os.environ["MY_SETTING"] = "yes"
os.makedirs("sub", exist_ok=True)
os.chdir("sub")
# %%
(name, os.environ["MY_SETTING"], os.path.basename(os.getcwd()))
# %%
import subprocess
subprocess.run(["sh", "-c", "echo $MY_SETTING; basename $PWD"]);
# %%
"CELLBLOCK_INCARNATION" in os.environ
