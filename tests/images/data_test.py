"""The image `data`: library cells and forty analysis cells, each file a session in a real sandbox.

The image is built as a folder if the store does not have it: CELLBLOCK_TEST_IMAGES, else build/images.
"""
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from support import BIN, Daemon, cell_pb2, outcome, require, text_of  # noqa: E402

STORE = os.environ.get("CELLBLOCK_TEST_IMAGES", os.path.join(ROOT, "build", "images"))
RECIPES = os.path.join(ROOT, "rootfs", "recipes")


def ensure_data():
    cellblock = os.path.join(BIN, "cellblock")
    sound = subprocess.run([cellblock, "rootfs", "inspect", "data", "--store", STORE],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    if not sound:
        subprocess.run([cellblock, "rootfs", "build", "data", "--format", "dir", "--store", STORE],
                       check=True)


def cells_of(path):
    with open(path, encoding="utf-8") as file:
        return [cell.lstrip("\n") for cell in file.read().split("# %%\n")[1:]]


def files(folder):
    folder = os.path.join(HERE, folder)
    return [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.endswith(".py")]


def packages(recipe):
    """The packages that a recipe names itself."""
    with open(os.path.join(RECIPES, recipe + ".textproto"), encoding="utf-8") as file:
        text = re.sub(r"^\s*#.*$", "", file.read(), flags=re.M)
    return re.findall(r'"([^"]+)"', re.search(r"packages: \[(.*?)\]", text, re.S).group(1))


class Data(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require(os.geteuid() == 0, "images are built by root")
        ensure_data()
        cls.daemon = Daemon(image_store=STORE)
        cls.addClassCleanup(cls.daemon.stop)

    def new_session(self):
        session = self.daemon.session(image="data")
        self.addCleanup(session.delete_if_there)
        return session

    def run_file(self, path):
        session = self.new_session()
        for number, code in enumerate(cells_of(path), 1):
            events = session.events(code)
            errors = "".join(event.error.traceback for event in events
                             if event.WhichOneof("event") == "error")
            written = text_of(events, cell_pb2.STDERR).decode()
            self.assertEqual((outcome(events[-1].result), errors + written), ("OK", ""),
                             f"{os.path.basename(path)}, cell {number}\n{errors}{written}")

    def test_every_library_of_the_recipe_is_covered(self):
        covered = set()
        for path in files("cells"):
            with open(path, encoding="utf-8") as file:
                covered.update(file.readline().removeprefix("# covers:").split())
        self.assertEqual(set(packages("data") + packages("minimal")) - covered, set())

    def test_forty_cells(self):
        self.assertEqual(sum(len(cells_of(path)) for path in files("analysis")), 40)

    def test_the_server_describes_the_image(self):
        image = next(i for i in self.daemon.info().images if i.name == "data")
        libraries = {library.name.lower(): library.version for library in image.libraries}
        session = self.new_session()
        self.assertEqual(session.facts.image_digest, image.digest)
        self.assertEqual(session.stdout("import numpy; print(numpy.__version__)").strip(),
                         libraries["numpy"].encode())
        self.assertEqual(image.python_version, "3.11")


for folder in ("cells", "analysis"):
    for file_path in files(folder):
        name = f"test_{folder}_{os.path.basename(file_path)[:-3]}"
        setattr(Data, name, lambda self, path=file_path: self.run_file(path))

if __name__ == "__main__":
    unittest.main(verbosity=2)
