"""The include directions of ARCHITECTURE.md, the size of files, and what post-clone code may use."""
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = re.compile(r'^#include "([^"]+)"|^#include <([^>]+)>', re.M)
GENERATED = re.compile(r"\.pb\.h$")
MOST_LINES = 600
# Private to the one library whose whole job is the gRPC client.
MAY_SEE_GENERATED = ("tools/client/client_impl.h",)

# Folder: what it may include of this project, itself aside.
ALLOWED = {
    "sandbox/base": (),
    "sandbox/spec": ("sandbox/base",),
    "sandbox/seccomp": ("sandbox/base", "sandbox/spec"),
    "sandbox/cgroup": ("sandbox/base",),
    "sandbox/net": ("sandbox/base",),
    "sandbox/child": (),
    "sandbox/launcher": ("sandbox/base", "sandbox/spec", "sandbox/seccomp", "sandbox/cgroup",
                         "sandbox/net", "sandbox/child"),
    "sandbox/runtime": ("sandbox/base", "sandbox/spec", "sandbox/child/init_protocol.h"),
    "daemon": ("sandbox/base", "sandbox/spec", "sandbox/seccomp", "sandbox/runtime"),
    "tools/client": ("sandbox/base",),
    "tools/cli": ("tools/client", "sandbox/base", "sandbox/spec", "sandbox/seccomp"),
}


def sources(*folders):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith((".h", ".cc", ".py", ".proto", ".textproto")):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def includes(path):
    with open(os.path.join(ROOT, path)) as file:
        return [quoted or angled for quoted, angled in INCLUDE.findall(file.read())]


def folder_of(path):
    matches = [folder for folder in ALLOWED if path.startswith(folder + "/")]
    return max(matches, key=len) if matches else None


class Layers(unittest.TestCase):
    def test_every_folder_has_a_place(self):
        for path in sources("sandbox", "daemon", "tools"):
            if path.endswith((".h", ".cc")):
                self.assertIsNotNone(folder_of(path), path)

    def test_include_directions(self):
        for path in sources("sandbox", "daemon", "tools"):
            if not path.endswith((".h", ".cc")):
                continue
            own = folder_of(path)
            for included in includes(path):
                if not included.startswith(("sandbox/", "daemon/", "tools/", "tests/")):
                    continue
                fine = included.startswith(own + "/") or included.startswith(ALLOWED[own])
                self.assertTrue(fine, f"{path} includes {included}")

    def test_sandbox_knows_no_grpc(self):
        for path in sources("sandbox"):
            for included in includes(path) if path.endswith((".h", ".cc")) else ():
                self.assertNotRegex(included, r"grpc", path)

    def test_generated_headers_are_included_in_cc_files_only(self):
        for path in sources("sandbox", "daemon", "tools"):
            if path.endswith(".h") and path not in MAY_SEE_GENERATED:
                for included in includes(path):
                    self.assertNotRegex(included, GENERATED, path)


class Sizes(unittest.TestCase):
    def test_no_file_is_too_long(self):
        for path in sources("sandbox", "daemon", "tools", "rootfs", "tests"):
            with open(os.path.join(ROOT, path), errors="replace") as file:
                self.assertLessEqual(len(file.readlines()), MOST_LINES, path)


class PostClone(unittest.TestCase):
    """Between clone and exec: no heap, no locks, no exceptions."""

    def test_object_files_refer_to_no_allocator_and_no_lock(self):
        self.assertTrue(os.path.isdir(OBJECTS), "usage: layers_test.py FOLDER_WITH_OBJECT_FILES")
        found = [name for name in os.listdir(OBJECTS) if name.endswith(".o")]
        self.assertGreaterEqual(len(found), 4)
        for name in found:
            symbols = subprocess.run(["nm", "-u", "-C", os.path.join(OBJECTS, name)], check=True,
                                     stdout=subprocess.PIPE, text=True).stdout
            self.assertNotRegex(
                symbols, r"\b(malloc|calloc|realloc|free|operator (new|delete)|pthread_|__cxa_|"
                         r"std::|absl::)", name)


if __name__ == "__main__":
    OBJECTS = sys.argv.pop() if len(sys.argv) > 1 else ""
    sys.argv.append("-v")
    unittest.main()
