"""Prepares matplotlib's font list of a new image; runs inside its root, from standard input.

Sorted, so that it depends on the fonts alone. Without matplotlib there is nothing to do.
"""
import json
import os

FOLDER = "/usr/share/cellblock/cache/matplotlib"
os.environ["MPLCONFIGDIR"] = FOLDER
try:
    import matplotlib.font_manager as fonts
except ImportError:
    raise SystemExit from None

for name in os.listdir(FOLDER):
    if not name.startswith("fontlist-"):
        continue
    path = os.path.join(FOLDER, name)
    with open(path) as file:
        found = json.load(file)
    for key in ("ttflist", "afmlist"):
        found[key].sort(key=lambda font: (font["fname"], font["name"]))
    with open(path, "w") as file:
        json.dump(found, file, indent=1)
