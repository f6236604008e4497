# %% interrupt=0.3
import time
time.sleep(60)
# %% interrupt=0.3
import subprocess
subprocess.run(["sleep", "60"])
# %% interrupt=0.3
import threading
threading.Event().wait()
# %% interrupt=0.3
!sleep 60
# %% interrupt=0.3
import os
os.read(os.pipe()[0], 1)
