"""Formatting, scripts that parse, and documents that name what is there."""
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXT = (".cc", ".h", ".py", ".proto", ".textproto", ".md", ".txt", ".cmake", ".json", ".expect", ".verdicts")
USER_CODE = ("tests/cells/", "tests/code_rules/")  # some of it is wrong on purpose
SKIPPED = {".git", ".cache", "build", "__pycache__"}
# A path in a document: begins with one of our folders, or is a document of the root.
PATH = re.compile(r"`((?:daemon|sandbox|proto|policies|rootfs|tools|tests|packaging|docs|cmake)/[^`\s]*)`"
                  r"|`(\.ci/[^`\s]+|\.clang-[a-z]+|[A-Z]+\.md)`|\]\(([^)#:]+)\)")
EXAMPLE = re.compile(r"\b(NAME|GROUP|FILE)\b|\*")


def files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def is_script(path, interpreter):
    first = read(path).split(b"\n", 1)[0]
    return first.startswith(b"#!") and interpreter in first


class Text(unittest.TestCase):
    def test_no_trailing_space_and_one_newline_at_the_end(self):
        for path in files():
            if path.endswith(TEXT) and not path.startswith(USER_CODE):
                for number, line in enumerate(read(path).split(b"\n"), 1):
                    self.assertFalse(line.endswith((b" ", b"\t", b"\r")), f"{path}:{number}")
                self.assertTrue(read(path) == b"" or read(path).endswith(b"\n"), path)

    def test_shell_scripts_parse(self):
        scripts = [path for path in files() if path.endswith(".sh") or is_script(path, b"bash")]
        self.assertGreaterEqual(len(scripts), 5)
        for path in scripts:
            self.assertTrue(os.access(os.path.join(ROOT, path), os.X_OK), f"{path}: not executable")
            done = subprocess.run(["bash", "-n", path], cwd=ROOT, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_python_compiles(self):
        for path in files():
            # Cells are user code; some are wrong on purpose.
            if path.endswith(".py") and not path.startswith(USER_CODE):
                compile(read(path), path, "exec", dont_inherit=True)

    def test_documents_name_what_is_there(self):
        for path in files():
            if not path.endswith(".md"):
                continue
            for match in PATH.finditer(read(path).decode()):
                named = match.group(1) or match.group(2) or match.group(3)
                if EXAMPLE.search(named):
                    named = EXAMPLE.split(named)[0].rpartition("/")[0] or "."
                places = (ROOT, os.path.dirname(os.path.join(ROOT, path)))
                self.assertTrue(any(os.path.exists(os.path.join(place, named)) for place in places),
                                f"{path}: {match.group(0)}")


class Format(unittest.TestCase):
    def test_clang_format(self):
        sources = [path for path in files() if path.endswith((".cc", ".h"))]
        done = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources], cwd=ROOT,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:4000])


if __name__ == "__main__":
    name = sys.argv.pop(1)
    if name == "Format" and not shutil.which("clang-format"):
        print("SKIPPED: clang-format is not installed; tools/dev/install-packages lint")
        sys.exit(77)
    sys.argv[1:] = ["-v", name]
    unittest.main()
