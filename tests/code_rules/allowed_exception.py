import subprocess
subprocess.list2cmdline(['x'])
