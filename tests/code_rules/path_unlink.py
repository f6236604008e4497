from pathlib import Path
Path('f').unlink()
