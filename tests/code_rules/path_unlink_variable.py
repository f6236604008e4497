from pathlib import Path
p = Path('d') / 'f'
p.unlink()
