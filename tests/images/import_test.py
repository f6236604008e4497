"""`cellblock rootfs import`: OCI layouts as folder and tar file, whiteouts, hostile layers, refusals. The
root below them is this host's own Python, so nothing is downloaded. Needs root."""
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from support import BIN, require  # noqa: E402


def member(name, kind=tarfile.REGTYPE, data=b"", link="", mode=0o644):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.size = kind, link, mode, len(data)
    return info, data


def layer(*members):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return raw.getvalue()


FOLDERS = [member(name, tarfile.DIRTYPE, mode=0o755) for name in ("usr", "usr/bin", "usr/lib")]
PYTHON = [*FOLDERS, member("usr/bin/python3.11", data=b"#!", mode=0o755),
          member("usr/lib/python3/dist-packages/IPython/__init__.py")]


class Import(unittest.TestCase):
    def setUp(self):
        require(os.geteuid() == 0, "images belong to root")
        self.folder = tempfile.mkdtemp(prefix="cellblock-import-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = os.path.join(self.folder, "store")
        self.root = os.path.join(self.store, "brought", "root")

    def layout(self, *layers, architecture=None):
        folder = os.path.join(self.folder, "layout")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "blobs", "sha256"))

        def blob(data):
            digest = hashlib.sha256(data).hexdigest()
            with open(os.path.join(folder, "blobs", "sha256", digest), "wb") as file:
                file.write(data)
            return {"digest": "sha256:" + digest, "size": len(data)}

        manifest = blob(json.dumps({"layers": [blob(data) for data in layers]}).encode())
        if architecture:
            manifest["platform"] = {"os": "linux", "architecture": architecture}
        with open(os.path.join(folder, "index.json"), "w") as file:
            json.dump({"schemaVersion": 2, "manifests": [manifest]}, file)
        return folder

    def bring(self, source, status=0):
        done = subprocess.run([os.path.join(BIN, "cellblock"), "rootfs", "import", source, "--name",
                               "brought", "--format", "dir", "--store", self.store],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def path(self, name):
        return os.path.join(self.root, name)

    def test_layers_and_whiteouts(self):
        self.bring(self.layout(
            layer(*PYTHON, member("a/old", data=b"1"), member("a/kept", data=b"2"),
                  member("b/one"), member("b/two")),
            layer(member("a/.wh.old"), member("b/.wh..wh..opq"), member("b/new", data=b"3"),
                  member("a/hard", tarfile.LNKTYPE, link="a/kept"))))
        self.assertEqual(sorted(os.listdir(self.path("a"))), ["hard", "kept"])
        self.assertEqual(os.listdir(self.path("b")), ["new"])
        with open(self.path("a/hard"), "rb") as file:
            self.assertEqual(file.read(), b"2")
        self.assertEqual(os.readlink(self.path("usr/bin/python3")), "python3.11")

    def test_a_tar_file_of_a_layout_gives_the_same_image(self):
        folder = self.layout(layer(*PYTHON))
        self.bring(folder)
        with open(os.path.join(self.store, "brought", "manifest.json")) as file:
            first = json.load(file)
        archive = os.path.join(self.folder, "image.tar")
        with tarfile.open(archive, "w") as out:
            out.add(folder, arcname=".")
        self.bring(archive)
        with open(os.path.join(self.store, "brought", "manifest.json")) as file:
            self.assertEqual(json.load(file), first)

    def test_nothing_outside_is_written(self):
        outside = os.path.join(self.folder, "outside")
        os.mkdir(outside)
        victim = os.path.join(outside, "victim")
        with open(victim, "w") as file:
            file.write("mine")
        self.bring(self.layout(layer(
            *PYTHON,
            member("absolute", tarfile.SYMTYPE, link=outside),
            member("up", tarfile.SYMTYPE, link="../" * 20 + outside.lstrip("/")),
            member("file", tarfile.SYMTYPE, link=victim),
            member("file", data=b"evil"))))
        self.assertEqual(os.listdir(outside), ["victim"])
        for bad in (member("../../escape", data=b"x"), member("a/../../escape", data=b"x"),
                    member("absolute/victim", data=b"evil"), member("absolute/.wh.victim"),
                    member("absolute/.wh..wh..opq"), member("up/victim", data=b"evil"),
                    member("stolen", tarfile.LNKTYPE, link="file"),
                    member("stolen", tarfile.LNKTYPE, link="../" * 20 + victim.lstrip("/")),
                    member("a/.wh...", data=b"")):
            source = self.layout(layer(*PYTHON, member("absolute", tarfile.SYMTYPE, link=outside),
                                       member("up", tarfile.SYMTYPE,
                                              link="../" * 20 + outside.lstrip("/")), bad))
            done = subprocess.run(
                [os.path.join(BIN, "cellblock"), "rootfs", "import", source, "--name", "brought",
                 "--format", "dir", "--store", self.store], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2, 3), done.stderr)
            self.assertEqual(os.listdir(outside), ["victim"], bad[0].name)
            with open(victim) as file:
                self.assertEqual(file.read(), "mine", bad[0].name)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "escape")))

    def test_devices_and_set_id_bits_are_left_out(self):
        device, data = member("device", tarfile.CHRTYPE)
        device.devmajor, device.devminor = 1, 3
        self.bring(self.layout(layer(*PYTHON, (device, data), member("pipe", tarfile.FIFOTYPE),
                                     member("usr/bin/su", mode=0o4755))))
        self.assertFalse(os.path.lexists(self.path("device")) or os.path.lexists(self.path("pipe")))
        self.assertEqual(os.stat(self.path("usr/bin/su")).st_mode & 0o7777, 0o755)

    def test_what_cannot_run_is_refused(self):
        for members, why in (
                ([*FOLDERS], "no python3"),
                ([*FOLDERS, member("usr/bin/python3.8")], "needs 3.9"),
                ([member("usr", tarfile.SYMTYPE, link="/etc")], "must be a folder"),
                ([*PYTHON, member("lib/ld-musl-x86_64.so.1")], "musl")):
            self.assertIn(why, self.bring(self.layout(layer(*members)), status=3))
            self.assertFalse(os.path.exists(self.root))
        self.assertIn("no image for", self.bring(self.layout(layer(*PYTHON), architecture="mips"),
                                                 status=3))

    def test_damaged_sources_are_refused(self):
        folder = self.layout(b"no archive at all")
        self.assertIn("no sound archive", self.bring(folder, status=3))
        folder = self.layout(layer(*PYTHON))
        for name in os.listdir(os.path.join(folder, "blobs", "sha256")):
            with open(os.path.join(folder, "blobs", "sha256", name), "ab") as file:
                file.write(b" ")
        self.assertIn("not what its name says", self.bring(folder, status=3))
        os.unlink(os.path.join(folder, "index.json"))
        self.assertIn("index.json", self.bring(folder, status=3))
        for text in ("", "[]", "{}", '{"manifests": [{"digest": "sha256:../../etc/passwd"}]}',
                     '{"manifests": 3}', '{"layers": [{"digest": 3}]}'):
            with open(os.path.join(folder, "index.json"), "w") as file:
                file.write(text)
            self.bring(folder, status=3)

    def test_an_image_without_ipython_gets_ours(self):
        self.bring(self.layout(layer(
            *FOLDERS, member("usr/local/bin/python3.11", data=b"#!", mode=0o755),
            member("usr/local/lib/python3.11/os.py"))))
        self.assertEqual(os.readlink(self.path("usr/bin/python3")), "../local/bin/python3.11")
        self.assertTrue(os.path.exists(self.path("usr/share/cellblock/modules/IPython/__init__.py")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
