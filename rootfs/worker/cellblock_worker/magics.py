"""The magics that are different in a sandbox."""
import re

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def _installed(name):
    import importlib.metadata  # slow, and seldom needed

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@magics_class
class CellMagics(Magics):
    def __init__(self, shell):
        self._stock_config = shell.find_line_magic("config")
        super().__init__(shell)

    @line_magic
    def pip(self, line):
        """Says which of the packages are there; none can be installed."""
        words = line.split()
        if words[:1] != ["install"]:
            raise UsageError("%pip is not available: packages come with the sandbox's image.")
        names = [m.group() for m in map(_NAME.match, words[1:]) if m]
        missing = [name for name in names if _installed(name) is None]
        if missing:
            raise UsageError(
                "%pip cannot install " + ", ".join(missing) + ": the sandbox has no network, "
                "packages come with its image."
            )
        print("Already installed: " + ", ".join(n + " " + _installed(n) for n in names))

    @line_magic
    def conda(self, line):
        """Refused: there is no conda."""
        raise UsageError("%conda is not available: packages come with the sandbox's image.")

    @line_magic("config")
    def configure(self, line):
        """IPython's %config; InlineBackend is made when it is first named."""
        if "InlineBackend" in line:
            self._inline_backend()
        return self._stock_config(line)

    def _inline_backend(self):
        try:
            from matplotlib_inline.config import InlineBackend
        except ImportError:
            raise UsageError("matplotlib is not installed in this image.") from None
        backend = InlineBackend.instance(parent=self.shell)
        backend.shell = self.shell
        if backend not in self.shell.configurables:
            self.shell.configurables.append(backend)
