"""`cellblock rootfs` and the store: the same inputs give the same digest, every changed byte is found,
what is damaged or half-built is refused, and sandboxes run on what was built. Needs root."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import grpc

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from support import BIN, Daemon, require  # noqa: E402

CELLBLOCK = os.path.join(BIN, "cellblock")


class Store(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require(os.geteuid() == 0, "images are built by root")
        cls.store = tempfile.mkdtemp(prefix="cellblock-images-")
        cls.addClassCleanup(shutil.rmtree, cls.store)
        os.chmod(cls.store, 0o755)
        for name, form in (("minimal", "erofs"), ("folder", "dir")):
            cls.rootfs("build", "minimal", "--name", name, "--format", form)
        cls.daemon = Daemon(image_store=cls.store)
        cls.addClassCleanup(cls.daemon.stop)

    @classmethod
    def rootfs(cls, *words, status=0, store=None):
        done = subprocess.run([CELLBLOCK, "rootfs", *words, "--store", store or cls.store],
                              capture_output=True, text=True)
        if done.returncode != status:
            raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def manifest(self, name):
        self.rootfs("inspect", name)
        with open(os.path.join(self.store, name, "manifest.json")) as file:
            return json.load(file)

    def new_session(self, image):
        session = self.daemon.session(image=image)
        self.addCleanup(session.delete_if_there)
        return session

    def damaged_copy(self, name):
        """A store of its own with a copy of an image; damage it, then ask."""
        store = tempfile.mkdtemp(prefix="cellblock-damaged-")
        self.addCleanup(shutil.rmtree, store)
        os.chmod(store, 0o755)
        subprocess.run(["cp", "-a", "--reflink=auto", os.path.join(self.store, name), store],
                       check=True)
        return store

    def refusal(self, store, image):
        with Daemon(image_store=store) as daemon:
            with self.assertRaises(grpc.RpcError) as caught:
                daemon.session(image=image)
        return caught.exception.details()

    def test_two_builds_have_one_digest(self):
        first, second = self.manifest("minimal"), self.manifest("folder")
        self.assertEqual(first["digest"], second["digest"])
        for same in ("entries", "content_bytes", "packages", "inputs"):
            self.assertEqual(first[same], second[same], same)
        self.assertIn({"name": "python3-ipython", "version": "8.5.0-4"}, first["packages"])

    def test_sessions_of_both_formats(self):
        for name in ("minimal", "folder"):
            session = self.new_session(name)
            self.assertEqual(session.facts.image_digest, self.manifest(name)["digest"])
            self.assertEqual(session.stdout("import sys; print(sys.prefix, 6 * 7)"), b"/usr 42\n")
            # Written over, for this session alone.
            self.assertEqual(session.stdout(
                "import os; print(os.path.exists('/usr/bin/apt'), os.path.exists('/var/cache/apt'))"),
                b"False False\n")
        self.assertIn("as it was built", self.rootfs("verify", "folder"))

    def test_no_mount_of_it_is_seen_on_the_host(self):
        self.new_session("minimal")
        with open("/proc/self/mountinfo") as file:
            self.assertNotIn(" - erofs ", file.read())

    def test_an_image_built_later_is_listed_and_a_replaced_one_is_used_anew(self):
        shutil.copytree(os.path.join(self.store, "folder"), os.path.join(self.store, "later"),
                        symlinks=True)
        self.addCleanup(self.rootfs, "remove", "later")
        info = {image.name: image for image in self.daemon.info().images}
        self.assertEqual(info["later"].digest, self.manifest("minimal")["digest"])
        self.assertEqual(info["later"].python_version, "3.11")
        self.assertIn("ipython", {library.name for library in info["later"].libraries})
        self.new_session("later")

    def test_every_changed_byte_is_found(self):
        store = self.damaged_copy("minimal")
        path = os.path.join(store, "minimal", "root.erofs")
        for at in (0, 1024, os.path.getsize(path) // 2, os.path.getsize(path) - 1):
            with open(path, "r+b") as file:
                file.seek(at)
                old = file.read(1)
                file.seek(at)
                file.write(bytes([old[0] ^ 1]))
            self.assertIn("have changed", self.rootfs("verify", store=store, status=1))
            with open(path, "r+b") as file:
                file.seek(at)
                file.write(old)
        self.assertIn("as it was built", self.rootfs("verify", store=store))

    def test_a_changed_folder_is_found(self):
        store = self.damaged_copy("folder")
        root = os.path.join(store, "folder", "root")
        changes = (lambda: os.chmod(root + "/usr/bin/env", 0o700),
                   lambda: os.chmod(root + "/usr/bin/env", 0o755),
                   lambda: os.symlink("x", root + "/usr/bin/new"),
                   lambda: os.unlink(root + "/usr/bin/new"))
        for number, change in enumerate(changes):
            change()
            self.rootfs("verify", store=store, status=1 - number % 2)

    def test_a_damaged_image_is_refused(self):
        store = self.damaged_copy("minimal")
        path = os.path.join(store, "minimal", "root.erofs")
        with open(path, "r+b") as file:
            file.seek(1024)
            file.write(b"\0" * 64)
        self.assertRegex(self.refusal(store, "minimal"), "damaged.*build it again")
        os.truncate(path, 4096)
        self.assertRegex(self.refusal(store, "minimal"), "4096 bytes and should have")
        os.unlink(path)
        self.assertRegex(self.refusal(store, "minimal"), "root.erofs is missing")
        os.unlink(os.path.join(store, "minimal", "seal.textproto"))
        self.assertRegex(self.refusal(store, "minimal"), "damaged or half-built")
        self.rootfs("verify", store=store, status=1)

    def test_what_others_may_write_is_refused(self):
        store = self.damaged_copy("minimal")
        os.chmod(os.path.join(store, "minimal", "root.erofs"), 0o666)
        self.assertIn("must be root's", self.refusal(store, "minimal"))
        os.chmod(os.path.join(store, "minimal", "root.erofs"), 0o644)
        os.chown(os.path.join(store, "minimal"), 4242, 4242)
        self.assertIn("must be root's", self.refusal(store, "minimal"))

    def test_an_unknown_image_is_refused_with_the_way_out(self):
        for name in ("nothing", "-x", "..", "a/b", "UPPER"):
            with self.assertRaises(grpc.RpcError) as caught:
                self.daemon.session(image=name)
            self.assertRegex(caught.exception.details(), "image|host")

    def test_wrong_use_is_told(self):
        self.assertIn("there are:", self.rootfs("build", "nothing", status=2))
        self.assertIn("dir, erofs, squashfs",
                      self.rootfs("build", "minimal", "--format", "tar", status=2))
        self.assertIn("small letters", self.rootfs("build", "minimal", "--name", "../x", status=2))
        self.rootfs("inspect", "nothing", status=2)
        self.rootfs("remove", "nothing", status=2)

    def test_an_interrupted_build_leaves_nothing(self):
        store = tempfile.mkdtemp(prefix="cellblock-interrupted-")
        self.addCleanup(shutil.rmtree, store)
        words = [CELLBLOCK, "rootfs", "build", "minimal", "--store", store]
        build = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        half = os.path.join(store, ".building-minimal", "log")
        deadline = time.monotonic() + 120
        while not os.path.exists(half) and time.monotonic() < deadline:
            time.sleep(0.05)
        # One at a time; and what a killed build has started ends with it.
        self.assertIn("another cellblock rootfs", self.rootfs("remove", "x", store=store, status=3))
        build.send_signal(signal.SIGKILL)
        build.wait()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            done = subprocess.run([CELLBLOCK, "rootfs", "remove", "x", "--store", store],
                                  capture_output=True, text=True)
            if done.returncode == 2:
                break
            time.sleep(0.1)
        self.assertIn('no image "x"', done.stderr)
        self.assertEqual(os.listdir(store), [".lock"])
        self.assertIn("", self.rootfs("list", store=store))


if __name__ == "__main__":
    unittest.main(verbosity=2)
