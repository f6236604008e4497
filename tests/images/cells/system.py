# covers: python3 python3-ipython python3-matplotlib-inline tzdata media-types netbase ca-certificates file procps unzip zip bzip2 xz-utils
# %%
import getpass, grp, os, pathlib, pwd, socket
me = pwd.getpwuid(os.getuid())
assert (me.pw_name, me.pw_dir, getpass.getuser()) == ("cell", "/home/cell", "cell")
assert grp.getgrgid(os.getgid()).gr_name == "cell"
assert pathlib.Path.home() == pathlib.Path("/home/cell") and os.getcwd() == "/work"
assert socket.gethostname() == "cellblock" and os.access(os.getcwd(), os.W_OK)
# %%
import locale, sys, time
assert sys.getfilesystemencoding() == "utf-8" and locale.getpreferredencoding() == "UTF-8"
assert time.tzname[0] == "UTC"
import zoneinfo, datetime
moment = datetime.datetime(2024, 3, 31, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))
assert moment.utcoffset() == datetime.timedelta(hours=2)
assert moment.astimezone(zoneinfo.ZoneInfo("Asia/Tokyo")).hour == 19
# %%
assert int(os.environ["OMP_NUM_THREADS"]) >= 1
assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"]
# %%
import multiprocessing
def square(n):
    return n * n
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
lock, value = multiprocessing.Lock(), multiprocessing.Value("i", 0)
with lock, value.get_lock():
    value.value += 1
from multiprocessing import shared_memory
block = shared_memory.SharedMemory(create=True, size=100); block.buf[0] = 7; block.close(); block.unlink()
# %%
import concurrent.futures, queue, tempfile, threading
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert sum(pool.map(square, range(4))) == 14
with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder:
    assert file.name.startswith("/tmp/") and os.path.isdir(folder)
# %%
import sqlite3
with sqlite3.connect("s.db") as database:
    database.execute("create table t (a, b)")
    database.executemany("insert into t values (?, ?)", [(i, i * i) for i in range(10)])
    assert database.execute("select sum(b) from t").fetchone() == (285,)
    assert database.execute("select json_extract('{\"a\": 3}', '$.a')").fetchone() == (3,)
# %%
import subprocess
answer = subprocess.run(["pip", "install", "nothing"], capture_output=True, text=True)
assert answer.returncode == 1 and answer.stderr.count("\n") == 1 and "image" in answer.stderr
answer = subprocess.run([sys.executable, "-m", "pip", "install", "nothing"], capture_output=True, text=True)
assert answer.returncode == 1 and "image" in answer.stderr
import shutil
assert not any(shutil.which(name) for name in ("apt", "apt-get", "dpkg", "easy_install"))
# %%
import mimetypes, ssl
assert mimetypes.guess_type("a.docx")[0].endswith("wordprocessingml.document")
assert ssl.create_default_context().cert_store_stats()["x509_ca"] > 50
assert socket.getservbyname("https") == 443
for words in (["file", "--version"], ["ps"], ["unzip", "-v"], ["zip", "-v"], ["bzip2", "--help"], ["xz", "--version"]):
    assert subprocess.run(words, capture_output=True).returncode == 0, words
