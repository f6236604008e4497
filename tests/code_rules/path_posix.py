import pathlib
pathlib.PosixPath('f').unlink()
