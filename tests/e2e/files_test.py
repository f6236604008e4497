"""Files: what comes in and out, under which names, and what is never followed."""
import hashlib
import os
import threading
import time
import unittest

import grpc

from support import (DaemonTest, EXHAUSTED, INVALID, NOT_FOUND, PRECONDITION, SessionTest,
                     await_true, runtime_pb2)

REFUSED = (PRECONDITION, NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED, INVALID)
BAD_PATHS = (b"", b".", b"..", b"../x", b"/etc/x", b"/", b"a/../../x", b"a/../b", b"./a", b"a//b",
             b"a/", b"x\0y", b"x" * 256, b"d/" * 2100 + b"x", b"d/" * 5000 + b"x")


class Upload(SessionTest):
    def test_bad_names_are_refused_and_nothing_is_written(self):
        for path in BAD_PATHS:
            with self.subTest(path=path[:40]):
                self.assert_status(INVALID, lambda: self.session.upload(path, b"x"), "BAD_PATH")
        self.assertEqual(self.session.list(recursive=True), [])

    def test_names_are_bytes(self):
        names = [b"caf\xe9", b"\xff\xfe\x80", b"new\nline", b"\x1b[31mred", b" ", b"-rf", b"x" * 255,
                 "zoë/日本".encode(), b"..."]
        for name in names:
            self.session.upload(name, name)
        for name in names:
            self.assertEqual(self.session.download(name), name)
        listed = {info.path for info in self.session.list(recursive=True)
                  if info.type == runtime_pb2.REGULAR}
        self.assertEqual(listed, set(names))
        self.assertEqual(self.session.stdout(
            "import os; print(os.path.exists(b'caf\\xe9'), os.path.getsize(b'\\xff\\xfe\\x80'))"),
            b"True 3\n")

    def test_content_comes_back_whole(self):
        for size in (0, 1, (1 << 20) - 1, 1 << 20, 40 << 20):
            data = os.urandom(size)
            info = self.session.upload(b"a/b/c.bin", data)
            self.assertEqual((info.size, info.sha256), (size, hashlib.sha256(data).digest()))
            self.assertEqual(self.session.download(b"a/b/c.bin"), data)
        self.assertEqual(self.session.download(b"a/b/c.bin", offset=39 << 20), data[39 << 20:])
        self.assertEqual(self.session.stdout("import os; print(os.path.getsize('a/b/c.bin'))"),
                         b"%d\n" % size)

    def test_the_cell_owns_what_was_uploaded(self):
        self.session.upload(b"run.sh", b"#!/bin/sh\necho ran", mode=0o6777)
        self.assertEqual(self.session.stdout(
            "import os, subprocess\ns = os.stat('run.sh'); print(oct(s.st_mode & 0o7777), s.st_uid)\n"
            "print(subprocess.run('./run.sh', capture_output=True).stdout)\nos.remove('run.sh')"),
            b"0o755 1000\nb'ran\\n'\n")

    def test_uploading_replaces(self):
        self.session.upload(b"x", b"first, longer")
        self.session.upload(b"x", b"second")
        self.assertEqual(self.session.download(b"x"), b"second")

    def test_what_is_in_the_way(self):
        self.session.run("import os\nos.mkdir('dir'); open('file', 'w').close()\n"
                         "os.symlink('/tmp', 'out'); os.symlink('/tmp/target', 'link')\n"
                         "os.mkfifo('fifo')")
        for path in (b"dir", b"file/below", b"out/x"):
            with self.subTest(path=path):
                self.assert_status(REFUSED + (grpc.StatusCode.ALREADY_EXISTS,),
                                   lambda: self.session.upload(path, b"x"))
        # A link or a FIFO is replaced or refused, and never written through.
        for path in (b"link", b"fifo"):
            with self.subTest(path=path):
                try:
                    self.session.upload(path, b"x")
                    self.assertEqual(self.session.download(path), b"x")
                except grpc.RpcError as error:
                    self.assertIn(error.code(), REFUSED)
        self.assertEqual(self.session.stdout("print(os.listdir('/tmp'))"), b"[]\n")

    def test_announced_size_must_come(self):
        for announced in (3, 5):
            self.assert_status(INVALID, lambda: self.session.upload(
                b"x", b"four", size={"value": announced}), "BAD_FIELD")
        self.assertEqual(self.session.list(), [])
        self.session.upload(b"x", b"four", size={"value": 4})
        self.assertEqual(self.session.download(b"x"), b"four")
        self.session.upload(b"empty", b"", size={"value": 0})
        self.assertEqual(self.session.download(b"empty"), b"")

    def test_a_stream_that_breaks_off_leaves_nothing(self):
        broken = threading.Event()

        def parts():
            yield runtime_pb2.UploadFileRequest(target={"session_id": self.session.id,
                                                        "path": b"sub/x"})
            yield runtime_pb2.UploadFileRequest(data=b"x" * 100000)
            broken.wait(10)

        call = self.session.stub.UploadFile.future(parts())
        time.sleep(0.3)
        call.cancel()
        broken.set()
        self.assertTrue(await_true(lambda: not [
            info for info in self.session.list(recursive=True)
            if info.type == runtime_pb2.REGULAR]))
        self.check_usable()

    def test_streams_that_are_no_upload(self):
        target = runtime_pb2.UploadFileRequest(target={"session_id": self.session.id, "path": b"x"})
        data = runtime_pb2.UploadFileRequest(data=b"x")
        for parts in ([], [data], [data, target], [target, target],
                      [runtime_pb2.UploadFileRequest()]):
            with self.subTest(parts=len(parts)):
                self.assert_status(INVALID, lambda: self.session.stub.UploadFile(iter(parts)))
        self.assertEqual(self.session.list(), [])

    def test_a_full_disk_is_the_sessions_own(self):
        session = self.new_session(limits={"disk_bytes": 16 << 20})
        self.assert_status(EXHAUSTED, lambda: session.upload(b"big", b"x" * (20 << 20)))
        self.assertEqual(session.list(), [])
        session.upload(b"small", b"x" * (8 << 20))
        self.assert_usable(session)


class UploadLimit(DaemonTest):
    config = "max_upload_bytes: 1048576 max_download_bytes: 2097152"

    def test_larger_files_are_refused_both_ways(self):
        session = self.new_session()
        session.upload(b"fits", b"x" * (1 << 20))
        self.assert_status(EXHAUSTED, lambda: session.upload(b"x", b"x" * ((1 << 20) + 1)),
                           "FILE_TOO_LARGE")
        self.assert_status(EXHAUSTED, lambda: session.upload(
            b"x", b"", size={"value": (1 << 20) + 1}), "FILE_TOO_LARGE")
        self.assertEqual([info.path for info in session.list()], [b"fits"])
        session.run("open('fits', 'wb').write(b'x' * (2 << 20)); "
                    "open('large', 'wb').write(b'x' * ((2 << 20) + 1))")
        self.assertEqual(len(session.download(b"fits")), 2 << 20)
        self.assert_status(EXHAUSTED, lambda: session.download(b"large"), "FILE_TOO_LARGE")


class Download(SessionTest):
    def test_what_is_no_regular_file_of_the_work_folder(self):
        self.session.run(
            "import os, socket\nos.mkfifo('fifo'); os.mkdir('dir'); open('dir/f', 'w').close()\n"
            "os.symlink('/etc/passwd', 'link'); os.symlink('/etc', 'etc'); os.symlink('dir', 'inner')\n"
            "os.symlink('../../../../etc/passwd', 'dots'); os.symlink('loop', 'loop')\n"
            "os.symlink('/proc/self/fd/0', 'magic')\n"
            "socket.socket(socket.AF_UNIX).bind('sock')\n"
            "try: os.mknod('whiteout', 0o20600, 0)\nexcept OSError: pass\n"
            "open('closed', 'w').write('x'); os.chmod('closed', 0)")
        began = time.monotonic()
        for path in (b"fifo", b"link", b"etc/passwd", b"inner/f", b"dots", b"loop", b"magic", b"dir",
                     b"sock", b"whiteout", b"missing", b"dir/missing", b"dir/f/x"):
            with self.subTest(path=path):
                self.assert_status(REFUSED, lambda: self.session.download(path))
        self.assertLess(time.monotonic() - began, 10, "nothing waits for a FIFO")
        self.check_usable()

    def test_bad_names(self):
        for path in BAD_PATHS:
            with self.subTest(path=path[:40]):
                self.assert_status(INVALID, lambda: self.session.download(path), "BAD_PATH")

    def test_a_folder_that_becomes_a_link_meanwhile(self):
        self.session.run(
            "import os, subprocess, sys\nos.makedirs('d/e'); open('d/e/f', 'w').write('safe')\n"
            "os.symlink('/usr/lib/os-release', 'g')\nos.symlink('/usr/lib', 'l')\n"
            "os.makedirs('m'); open('m/os-release', 'w').write('safe')\n"
            "code = '''import ctypes\\nL = ctypes.CDLL(None)\\nfor i in range(400000): "
            "L.syscall(316, -100, b\"m\", -100, b\"l\", 2)'''\n"
            "child = subprocess.Popen([sys.executable, '-c', code])")
        seen = set()
        for _ in range(300):
            try:
                seen.add(self.session.download(b"m/os-release"))
            except grpc.RpcError as error:
                self.assertIn(error.code(), REFUSED)
                seen.add(error.code())
        self.assertLessEqual(seen, {b"safe", *REFUSED})
        self.assertGreater(len(seen), 1, "the swap was never met")

    def test_sparse_giants_are_refused_by_their_apparent_size(self):
        self.session.run("import os, resource\n"
                         "open('sparse', 'wb').truncate(1 << 30)\n"
                         "try: open('huge', 'wb').truncate(1 << 50)\nexcept OSError as e: print(e)")
        before = self.daemon.resident_bytes()
        began = time.monotonic()
        self.assert_status(EXHAUSTED, lambda: self.session.download(b"sparse", max_bytes=1 << 20),
                           "FILE_TOO_LARGE")
        self.assertLess(time.monotonic() - began, 5)
        self.assertLess(self.daemon.resident_bytes() - before, 16 << 20)
        sizes = {info.path: info.size for info in self.session.list()}
        self.assertEqual(sizes[b"sparse"], 1 << 30)
        self.assertEqual(sizes.get(b"huge", 0), 0, "RLIMIT_FSIZE")

    def test_offsets(self):
        self.session.upload(b"x", b"0123456789")
        self.assertEqual(self.session.download(b"x", offset=3, max_bytes=7), b"3456789")
        self.assertEqual(self.session.download(b"x", offset=10), b"")
        self.assert_status(grpc.StatusCode.OUT_OF_RANGE,
                           lambda: self.session.download(b"x", offset=11))
        for fields in ({"offset": -1}, {"max_bytes": -1}):
            self.assert_status(INVALID, lambda: self.session.download(b"x", **fields), "BAD_FIELD")

    def test_a_file_that_grows_is_sent_as_it_was(self):
        self.session.run("import subprocess, sys\nopen('g', 'wb').write(b'x' * (4 << 20))\n"
                         "child = subprocess.Popen([sys.executable, '-c', '''\nimport time\n"
                         "f = open(\"g\", \"ab\", 0)\nfor i in range(3000): f.write(b\"y\" * 10000)"
                         "''' ])")
        data = self.session.download(b"g")
        self.assertGreaterEqual(len(data), 4 << 20)
        self.assertEqual(data[:4 << 20], b"x" * (4 << 20))

    def test_throughput_memory_is_bounded(self):
        self.session.run("open('big', 'wb').write(b'x' * (256 << 20))")
        self.daemon.reset_peak()
        before = self.daemon.resident_bytes()
        got = 0
        for part in self.session.stub.DownloadFile(runtime_pb2.DownloadFileRequest(
                session_id=self.session.id, path=b"big")):
            got += len(part.data)
        self.assertEqual(got, 256 << 20)
        self.assertLess(self.daemon.peak_resident_bytes() - before, 64 << 20)


class Listing(SessionTest):
    def test_entries_tell_what_they_are(self):
        self.session.run("import os\nos.makedirs('d/e'); open('d/f', 'wb').write(b'12345')\n"
                         "os.symlink('/etc/passwd', 'link'); os.mkfifo('fifo'); os.chmod('d/f', 0o640)")
        top = {info.path: info for info in self.session.list()}
        self.assertEqual(set(top), {b"d", b"link", b"fifo"})
        self.assertEqual(top[b"d"].type, runtime_pb2.DIRECTORY)
        self.assertEqual(top[b"link"].type, runtime_pb2.SYMLINK)
        self.assertEqual(top[b"fifo"].type, runtime_pb2.OTHER)
        deep = {info.path: info for info in self.session.list(recursive=True)}
        self.assertEqual(set(deep), {b"d", b"d/e", b"d/f", b"link", b"fifo"})
        self.assertEqual((deep[b"d/f"].size, deep[b"d/f"].mode & 0o777), (5, 0o640))
        self.assertLess(abs(deep[b"d/f"].modified_at.seconds - time.time()), 60)
        self.assertEqual({info.path for info in self.session.list(b"d")}, {b"d/e", b"d/f"})
        self.assertEqual(len(self.session.list(recursive=True, max_entries=2)), 2)

    def test_what_cannot_be_listed(self):
        self.session.run("import os; os.symlink('/etc', 'etc'); open('f', 'w').close()")
        for path in (b"etc", b"f", b"missing"):
            self.assert_status(REFUSED, lambda: self.session.list(path))
        for path in (b"/etc", b"..", b"a/../..", b"x\0"):
            self.assert_status(INVALID, lambda: self.session.list(path), "BAD_PATH")
        self.assert_status(INVALID, lambda: self.session.list(max_entries=-1), "BAD_FIELD")

    def test_many_and_deep(self):
        self.session.run("import os\nfor i in range(3000): open(f'f{i}', 'w').close()")
        self.assertEqual(len(self.session.list()), 3000)
        self.session.run("for i in range(300):\n    os.mkdir('d'); os.chdir('d')\nos.chdir('/work')")
        # What lies too deep to be listed in one go is said to be missing.
        self.assert_status(EXHAUSTED, lambda: self.session.list(recursive=True),
                           "LISTING_TRUNCATED")
        self.assertEqual(len(self.session.list(b"d/d/d")), 1)
        self.session.remove(b"d", recursive=True)
        self.assertEqual(len(self.session.list(recursive=True)), 3000)


class Remove(SessionTest):
    def test_files_folders_and_links(self):
        self.session.run("import os\nos.makedirs('d/e'); open('d/e/f', 'w').close()\n"
                         "open('x', 'w').close(); open('/tmp/outside', 'w').close()\n"
                         "os.symlink('/tmp/outside', 'link'); os.symlink('/tmp', 'd/tmp')\n"
                         "os.makedirs('closed/in'); os.chmod('closed', 0)")
        self.session.remove(b"x")
        self.assert_status(NOT_FOUND, lambda: self.session.remove(b"x"))
        self.assert_status(REFUSED, lambda: self.session.remove(b"d"))
        self.session.remove(b"link")
        self.session.remove(b"d", recursive=True)
        self.session.remove(b"closed", recursive=True)
        self.assertEqual(self.session.list(recursive=True), [])
        self.assertEqual(self.session.stdout("print(os.listdir('/tmp'))"), b"['outside']\n")

    def test_bad_names(self):
        for path in BAD_PATHS:
            self.assert_status(INVALID, lambda: self.session.remove(path, recursive=True),
                               "BAD_PATH")


class Artifacts(SessionTest):
    def test_new_changed_and_removed_files(self):
        self.session.upload(b"old", b"1")
        result = self.session.run("import os\nopen('new.txt', 'w').write('hello')\n"
                                  "open('old', 'a').write('2')\nos.makedirs('a/b')\n"
                                  "open('a/b/deep', 'w').close(); os.symlink('old', 'link')\n"
                                  "open(b'caf\\xe9', 'w').close()")
        found = {artifact.path: artifact for artifact in result.artifacts}
        self.assertEqual(set(found), {b"new.txt", b"old", b"a/b/deep", b"caf\xe9"})
        for name, data, created in ((b"new.txt", b"hello", True), (b"old", b"12", False),
                                    (b"a/b/deep", b"", True)):
            self.assertEqual(found[name].size, len(data))
            self.assertEqual(found[name].sha256, hashlib.sha256(data).digest())
            self.assertEqual(found[name].created, created)
        result = self.session.run("os.remove('old')")
        self.assertEqual(list(result.removed_files), [b"old"])
        self.assertEqual(list(result.artifacts), [])

    def test_also_of_cells_that_fail_or_die(self):
        for code in ("open('f1', 'w').write('x'); 1 / 0",
                     "open('f2', 'w').write('x'); import os; os._exit(1)"):
            result = self.session.run(code)
            self.assertEqual([a.size for a in result.artifacts], [1], result)

    def test_many_are_cut_and_said_to_be(self):
        result = self.session.run("for i in range(20000): open(str(i), 'w').close()")
        self.assert_outcome(result, "OK")
        if not result.artifacts_truncated:
            self.assertEqual(len(result.artifacts), 20000)
        self.assertGreater(len(result.artifacts), 0)


if __name__ == "__main__":
    unittest.main()
