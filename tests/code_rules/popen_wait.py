import subprocess
subprocess.Popen(['x']).wait()
