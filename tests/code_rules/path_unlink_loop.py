from pathlib import Path
for p in Path('.').glob('*'):
    p.unlink()
