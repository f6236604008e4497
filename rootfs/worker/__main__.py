"""The launch target in a sandbox: /usr/bin/python3 -s -B /opt/cellblock/worker.

Until the worker's own modules are imported, sys.path holds nothing that a user of the session can
write to: a file called json.py in the work folder, or a PYTHONPATH, must not replace a module of
the worker. Afterwards the work folder ('') comes right behind the standard library, before packages.
"""
import sys

_trusted = [p for p in sys.path[1:] if p.startswith((sys.base_prefix + "/lib", sys.prefix + "/lib"))]
_library = [p for p in _trusted if "-packages" not in p]
_others = [p for p in sys.path[1:] if p not in _library]
sys.path[1:] = _trusted

from cellblock_worker.main import main  # noqa: E402

main(_library, _others)
