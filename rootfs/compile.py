"""Compiles a new image's Python files; runs inside its root, with its interpreter, from standard input.

Unchecked hashes: the image is read-only, and the result depends on no time. One fresh interpreter per
package: what marshal writes depends on which strings were seen before.
"""
import concurrent.futures
import os
import subprocess
import sys

FOLDERS = ("/usr/lib/python3/dist-packages", "/usr/lib/python%d.%d" % sys.version_info[:2])
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}


def compile_one(path):
    return path, subprocess.run(
        [sys.executable, "-I", "-S", "-m", "compileall", "-f", "-q", "-q", "--invalidation-mode",
         "unchecked-hash", path], env=ENVIRONMENT, stdin=subprocess.DEVNULL).returncode


def main():
    entries = []
    for folder in FOLDERS:
        if os.path.isdir(folder):
            names = sorted(os.listdir(folder))
            entries += [os.path.join(folder, name) for name in names if name != "__pycache__"]
    wanted = [e for e in entries if os.path.isdir(e) and not os.path.islink(e) or e.endswith(".py")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # Test data holds files that are no Python on purpose: a failure is not one of the image.
        failed = [path for path, code in pool.map(compile_one, wanted) if code]
    for path in failed:
        print("not all of it compiles:", path, file=sys.stderr)


main()
