"""Runs what the documents show. In a ```console block a line that begins with "$ " is a command ("> "
continues it, a here-document goes on to its mark), and the lines below it are its standard output,
exactly, but for the "..." that ends a line. The commands of one block share one shell, whose folder is empty but for
the project's docs folder; the programs of the build are on its PATH. The same holds for the blocks
between .EX and .EE of man pages."""
import os
import re
import subprocess
import tempfile
import unittest

BIN = os.environ["CELLBLOCK_BIN"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "policies/README.md")
MAN_PAGES = ("packaging/man/cellblock-policy.1", "packaging/man/cellblock-policy.5")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
MAN_BLOCK = re.compile(r"^\.EX\n(.*?)^\.EE$", re.M | re.S)
END = "-- end of command --"


def plain(roff):
    """The text that a reader of the man page sees."""
    for escape, text in (("\\-", "-"), ("\\&", ""), ("\\(aq", "'"), ("\\(dq", '"'), ("\\e", "\\")):
        roff = roff.replace(escape, text)
    return roff


def blocks():
    for document in DOCUMENTS + MAN_PAGES:
        with open(os.path.join(ROOT, document)) as file:
            text = file.read()
        manual = document in MAN_PAGES
        for match in (MAN_BLOCK if manual else BLOCK).finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{document}:{line}", plain(match.group(1)) if manual else match.group(1)


def commands(block):
    """Pairs of a command and its expected output."""
    found, mark = [], None
    for line in block.splitlines():
        if mark is not None:
            found[-1][0].append(line)
            mark = None if line == mark else mark
        elif line.startswith("> "):
            found[-1][0].append(line[2:])
        elif line.startswith("$ "):
            found.append(([line[2:]], []))
            here = re.search(r"<<'?(\w+)'?", line)
            mark = here.group(1) if here else None
        else:
            found[-1][1].append(line)
    return [("\n".join(command), output) for command, output in found]


def matches(expected, output):
    pattern = "".join(re.escape(line.removesuffix("...")) + (".*" if line.endswith("...") else "")
                      + "\n" for line in expected)
    return re.fullmatch(pattern, output)


def run(block, folder):
    script = "".join(f"{command}\necho '{END}'\n" for command, _ in commands(block))
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("CELLBLOCK_SERVER", "CELLBLOCK_POLICY_DIR")}
    environment["PATH"] = f"{BIN}:/usr/sbin:/usr/bin:/sbin:/bin"
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, timeout=200,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.stdout.split(END + "\n"), done.stderr


class Documents(unittest.TestCase):
    def test_console_blocks(self):
        found = list(blocks())
        self.assertGreaterEqual(len(found), 3)
        for place, block in found:
            with self.subTest(place), tempfile.TemporaryDirectory() as folder:
                os.chmod(folder, 0o755)
                os.symlink(os.path.join(ROOT, "docs"), os.path.join(folder, "docs"))
                outputs, errors = run(block, folder)
                self.assertEqual(len(outputs), len(commands(block)) + 1, errors)
                for (command, expected), output in zip(commands(block), outputs):
                    self.assertTrue(matches(expected, output),
                                    f"$ {command}\n{output}\nexpected:\n" + "\n".join(expected)
                                    + "\nstandard error of the block:\n" + errors)


class ManPages(unittest.TestCase):
    def help_of(self, *command):
        done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def page(self, name):
        with open(os.path.join(ROOT, "packaging", "man", name)) as file:
            return file.read().replace("\\-", "-")

    def test_every_flag_of_the_daemon(self):
        page = self.page("cellblockd.8")
        flags = re.findall(r"^    --(\w+) \(", self.help_of("cellblockd", "--help"), re.M)
        self.assertGreaterEqual(len(flags), 6)
        for flag in flags:
            self.assertIn("--" + flag, page)

    def test_every_command(self):
        page = self.page("cellblock.1")
        text = self.help_of("cellblock", "--help")
        with open(os.path.join(ROOT, "README.md")) as file:
            readme = file.read()
        commands = re.findall(r"^  ([a-z]+) ", text.partition("Subcommands:")[2].partition("Examples:")[0], re.M)
        self.assertGreaterEqual(len(commands), 6)
        for command in commands:
            self.assertRegex(page, rf"(?m)^\.B cellblock {command}\b")
            self.assertRegex(readme, rf"`cellblock {command}\b")

    def test_pages_are_without_warnings(self):
        for name in os.listdir(os.path.join(ROOT, "packaging", "man")):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z",
                                   os.path.join(ROOT, "packaging", "man", name)],
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
