"""matplotlib figures are shown without savefig: at plt.show(), and the rest when the cell ends.

matplotlib is not imported from here; a finder notices when user code imports pyplot and puts our
show in its place. That works whatever backend the cell chooses - matplotlib.use("Agg") is common
in code written for scripts - because figures are taken from pyplot, not from a backend.
"""
import importlib.util
import os
import sys

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

MAX_FIGURES = 20
_MAX_PIXELS = 16_000_000
_PYPLOT = "matplotlib.pyplot"
# Of the operator's machine, and of an image that was built with one.
_PREPARED_CACHES = ("/opt/cellblock/cache/matplotlib", "/usr/share/cellblock/cache/matplotlib")


class Figures:
    def __init__(self, shell):
        self._shell = shell
        self._shown = []  # figures of this cell that a display or a result has shown already
        self._count = 0
        os.environ.setdefault("MPLBACKEND", "agg")  # children too; saves the search for a GUI
        formatters = shell.display_formatter.formatters
        formatters["image/png"].for_type_by_name("matplotlib.figure", "Figure", _png)
        shell.display_formatter.formatted = self._note
        sys.meta_path.insert(0, _PyplotFinder(self._patch))
        _link_font_cache()

    def begin_cell(self):
        self._shown = []
        self._count = 0

    def end_cell(self):
        """Shows what is still open and closes it."""
        if _PYPLOT in sys.modules:
            self.show()
        self._shown = []

    def show(self):
        """Every open figure, in order, once."""
        pyplot = sys.modules[_PYPLOT]
        dropped = 0
        try:
            for number in pyplot.get_fignums():
                figure = pyplot.figure(number)
                if any(figure is shown for shown in self._shown):
                    continue
                if self._count >= MAX_FIGURES:
                    dropped += 1
                    continue
                self._publish(figure)
        finally:
            pyplot.close("all")
        if dropped:
            print(
                "%d figures not shown: a cell shows at most %d." % (dropped, MAX_FIGURES),
                file=sys.stderr,
            )

    def _publish(self, figure):
        with self._shell.formatting():
            data, metadata = self._shell.display_formatter.format(figure)
        if len(data) > 1:  # a figure without axes has only its text
            self._shell.display_pub.publish(data, metadata)

    def _note(self, value, data):
        """Every value's forms pass by here: a figure that was shown is not shown again."""
        module = sys.modules.get("matplotlib.figure")
        if module is None or not isinstance(value, module.Figure):
            return
        self._shown.append(value)
        self._count += 1
        if "image/png" not in data:  # the cell asked for another format: it gets both
            png = _png(value)
            if png is not None:
                data["image/png"] = png

    def _patch(self, pyplot):
        def show(*args, **kwargs):
            """Shows every open figure and closes it."""
            self.show()

        pyplot.show = show  # a function: pyplot writes attributes to it


def _png(figure):
    from IPython.core.pylabtools import print_figure

    width, height = figure.get_size_inches()
    pixels = width * height * figure.dpi**2
    dpi = figure.dpi * min(1.0, (_MAX_PIXELS / max(pixels, 1)) ** 0.5)
    return print_figure(figure, "png", dpi=dpi)


class _PyplotFinder:
    """Runs a function on pyplot right after its import."""

    def __init__(self, then):
        self._then = then
        self._searching = False

    def find_spec(self, name, _path=None, _target=None):
        if name != _PYPLOT or self._searching:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self._then(module)

        spec.loader.exec_module = exec_module
        return spec


def _link_font_cache():
    """The image has a font cache; without it the first figure of a session costs seconds."""
    for cache in _PREPARED_CACHES:
        try:
            names = [n for n in os.listdir(cache) if n.startswith("fontlist-")]
            folder = os.path.expanduser("~/.cache/matplotlib")
            os.makedirs(folder, exist_ok=True)
            for name in names:
                if not os.path.lexists(os.path.join(folder, name)):
                    os.symlink(os.path.join(cache, name), os.path.join(folder, name))
        except OSError:
            pass  # matplotlib makes its own
