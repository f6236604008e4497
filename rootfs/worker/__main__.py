"""The launch target in a sandbox: /usr/bin/python3 -s -B /opt/cellblock/worker.

Until the worker's own modules are imported, sys.path holds nothing that a user of the session can
write to: a file called json.py in the work folder, or a PYTHONPATH, must not replace a module of
the worker. Afterwards the work folder ('') comes right behind the standard library, before packages.
"""
import os
import sys

# IPython for an imported image that has none: the image's own modules go first.
_ADDED = "/usr/share/cellblock/modules"
if os.path.isdir(_ADDED):
    sys.path.append(_ADDED)

_installed = (sys.base_prefix + "/lib", sys.prefix + "/lib", _ADDED)
_trusted = [p for p in sys.path[1:] if p.startswith(_installed)]
_library = [p for p in _trusted if "-packages" not in p and p != _ADDED]
_others = [p for p in sys.path[1:] if p not in _library]
sys.path[1:] = _trusted

from cellblock_worker.main import main  # noqa: E402

main(_library, _others)
