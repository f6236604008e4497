from pathlib import Path
Path.cwd().parent.rmdir()
